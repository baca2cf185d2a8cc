#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "schedule/schedule.hpp"

namespace espalier::sim {

/// How long each block of an irregular call is, wherever it happens to be: lengths travel with the
/// data, through scratch as well. The engine tells it what moves when.
class BlockLengths {
 public:
  /// @pre schedule.call.irregular(). The schedule must outlive it.
  explicit BlockLengths(const schedule::Schedule& schedule);

  /// Bytes that a Reduce or Copy of this rank reads now.
  [[nodiscard]] std::uint64_t bytes_read(Rank rank, std::uint32_t op) const;
  /// Member `k` of a Send sets out under the name `message`. Returns its bytes.
  std::uint64_t send(std::uint32_t message, Rank rank, std::uint32_t op, std::uint32_t k);
  /// Member `k` of a Recv receives `message`.
  void receive(std::uint32_t message, Rank rank, std::uint32_t op, std::uint32_t k);
  void copy(Rank rank, std::uint32_t op);

 private:
  using Lengths = std::vector<std::uint64_t>;  // bytes of each unit

  [[nodiscard]] std::uint64_t length(Rank rank, schedule::Buffer buffer, std::uint64_t unit) const;
  [[nodiscard]] Lengths read(Rank rank, const schedule::Region& region) const;
  void write(Rank rank, const schedule::Region& region, const Lengths& lengths);

  const schedule::Schedule& schedule_;
  std::vector<Lengths> out_;  ///< [rank] empty until something is written
  std::vector<Lengths> scratch_;
  std::map<std::uint32_t, Lengths> under_way_;
};

}  // namespace espalier::sim
