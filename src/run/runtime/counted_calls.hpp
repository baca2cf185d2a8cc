#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "runtime/shared_call.hpp"
#include "topology/machine.hpp"

namespace espalier::runtime {

/// Allgathervs of one communicator by the lengths of their blocks. Planning by them takes long, so
/// it begins when such calls came often enough (select::planned_from()); until then plans go by the
/// mean length alone.
///
/// All ranks know the lengths, and all count every call that blocks, planned or native. So they
/// come to the same, and forget at the same call.
class CountedCalls {
 public:
  /// Counts a call that blocks. @pre select::is_chosen_by_counts() of the call
  void note(const SharedCall& call, const topology::Machine& machine);
  /// Whether calls with these lengths are planned by them from now on.
  [[nodiscard]] bool are_due(const SharedCall& call) const;
  void forget() { known_.clear(); }

  /// Lists of lengths that are remembered; beyond that all are forgotten.
  static constexpr std::size_t kMost = 64;

 private:
  struct Calls {
    std::uint64_t so_far = 0;
    std::optional<std::uint64_t> due_from;  ///< absent: never
  };
  std::map<std::vector<std::uint64_t>, Calls> known_;  // by bytes of each block
};

}  // namespace espalier::runtime
