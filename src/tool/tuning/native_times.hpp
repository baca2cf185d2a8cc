#pragma once

#include <optional>
#include <vector>

#include "collective/hierarchy.hpp"
#include "schedule/collective.hpp"
#include "select/predict.hpp"
#include "select/transport.hpp"
#include "sim/options.hpp"
#include "topology/machine.hpp"
#include "tuning/native_algorithms.hpp"

namespace espalier::tuning {

/// Up to this many ranks the candidates nearest to the best prediction are simulated.
inline constexpr Rank kSimulatedUpTo = 64;

/// What algorithms of an MPI library take on a machine, with that library's own handshakes over far
/// links. The machine must outlive it. Not thread-safe.
class NativeTimes {
 public:
  NativeTimes(const topology::Machine& machine, select::NativeMpi mpi);

  /// By closed forms; absent if the algorithm cannot do the call, or if its time hangs on other
  /// rules (Method::ReduceBroadcast, Method::GatherBroadcast).
  [[nodiscard]] std::optional<Time> predicted(const Candidate& candidate,
                                              const schedule::Collective& call) const;
  /// Message by message. @pre predicted() has a value
  [[nodiscard]] Time simulated(const Candidate& candidate, const schedule::Collective& call) const;

  [[nodiscard]] const topology::Machine& machine() const { return hierarchy_.machine(); }
  [[nodiscard]] const collective::Hierarchy& hierarchy() const { return hierarchy_; }
  [[nodiscard]] select::NativeMpi mpi() const { return mpi_; }

 private:
  [[nodiscard]] Time along(const tree::CommTree& tree, std::uint64_t segment,
                           const schedule::Collective& call, bool simulate) const;
  [[nodiscard]] Time up_and_down(const Candidate& candidate, const schedule::Collective& call,
                                 bool simulate) const;
  [[nodiscard]] Time tree_time(const Candidate& candidate, const schedule::Collective& call,
                               bool simulate) const;

  collective::Hierarchy hierarchy_;
  select::Predictor predictor_;
  select::NativeMpi mpi_;
  sim::SimOptions options_;
  bool has_far_links_ = false;
};

/// All that the library may be asked for in this call.
/// @param ordered only algorithms that are right for operators that do not commute
[[nodiscard]] std::vector<Candidate> candidates_of(std::span<const NativeAlgorithm> algorithms,
                                                   const schedule::Collective& call, bool ordered);

/// A call among all ranks of a machine. @param bytes of the vector, or of one block
[[nodiscard]] schedule::Collective call_of(Operation operation, Rank ranks, std::uint64_t bytes);

}  // namespace espalier::tuning
