#pragma once

#include <map>
#include <vector>

#include "group/construction.hpp"

namespace espalier::group {

/// The baseline of P. Sack, W. Gropp, "A scalable MPI_Comm_split algorithm for exascale computing",
/// EuroMPI 2010: p of the processes sort all (colour, rank), and keep the sorted table between
/// them, n/p entries each; nobody else holds more than O(1), and asks the table for ids. Here p is
/// a power of two near the root of n, the sort is Batcher's bitonic one on blocks (the paper leaves
/// the choice open), and each process asks for the ids of its neighbours on a tree at once. World
/// only.
class ParallelSort : public Construction {
 public:
  ParallelSort(Tag tag, const GroupView& parent, const ConstructionOptions& options);

  void enter(Colour colour, Endpoint& endpoint) override;
  void receive(const Message& message, Endpoint& endpoint) override;
  [[nodiscard]] bool done() const override;
  [[nodiscard]] GroupView view() const override { return view_; }
  [[nodiscard]] std::size_t bytes() const override;

 private:
  using ColourAndRank = std::uint64_t;  // colour in the upper half, rank in the lower
  /// The groups at both ends of a block.
  struct BlockEnds {
    Colour first = kNoColour, last = kNoColour;
    Rank first_count = 0, last_count = 0;
  };
  struct Sorter;

  void take_item(const Words& words, Endpoint& endpoint);
  void sort_on(Endpoint& endpoint);
  void tell_ends(Endpoint& endpoint);
  void rank_items(Endpoint& endpoint);
  void serve(Id who, const Words& words, Endpoint& endpoint);
  void ask(Rank rank, std::uint32_t number, Endpoint& endpoint);
  void take_rank(const Words& words, Endpoint& endpoint);

  [[nodiscard]] Id sorter(Rank index) const { return index * block_; }

  const GroupView& parent_;
  Tag tag_;
  Rank sorters_ = 1, block_ = 1;
  bool ranked_ = false;
  Rank start_ = 0;  // where the own group begins in the table
  Rank open_ = 0;   // ids that were asked for and have not come
  std::unique_ptr<Sorter, void (*)(Sorter*)> work_;
  GroupView view_;
};

}  // namespace espalier::group
