#pragma once

#include <array>
#include <map>

#include "group/construction.hpp"

namespace espalier::group {

/// The baseline of A. Moody, D. Ahn, B. de Supinski, "Exascale algorithms for generalized
/// MPI_Comm_split", EuroMPI 2011: a group is a chain. Two scans along the parent's chain, of
/// ceil(log2 n) rounds, find each member's neighbours, rank and the size. Memory O(1) but for
/// rounds that come early; about 2 n log2 n messages; and a collective has to find its partners'
/// ids each time. One colour, keys as the parent's ranks; world only (a chain of a chain would pass
/// ids on).
///
/// Its GroupView is a tree of degree 1: the parent is the left neighbour, the child the right one.
class Chains : public Construction {
 public:
  Chains(Tag tag, const GroupView& parent);

  void enter(Colour colour, Endpoint& endpoint) override;
  void receive(const Message& message, Endpoint& endpoint) override;
  [[nodiscard]] bool done() const override {
    return entered_ && std::uint64_t{1} << round_ >= parent_.size;
  }
  [[nodiscard]] GroupView view() const override;
  [[nodiscard]] std::size_t bytes() const override;

 private:
  /// Members on one side of this process: the nearest one, and how many, as far as known.
  struct Side {
    Rank count = 0;
    Id nearest = kNobody;
  };
  using Rounds = std::map<std::uint32_t, Side>;

  void send_round(Endpoint& endpoint);
  void advance(Endpoint& endpoint);
  [[nodiscard]] bool expects_from(std::size_t side, Id self) const;

  const GroupView& parent_;
  Tag tag_;
  std::uint32_t round_ = 0;
  bool entered_ = false, member_ = false;
  Id self_ = kNobody;
  std::array<Side, 2> sides_;    // left and right, without this process
  std::array<Rounds, 2> early_;  // what came for later rounds, by round
};

}  // namespace espalier::group
