#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "schedule/program_builder.hpp"
#include "schedule/schedule.hpp"

namespace espalier::collective {

/// A classical algorithm as a whole call among all ranks, blind to the topology.
struct FlatAlgorithm {
  schedule::Operation operation;
  std::string_view name;    ///< name in CLI, reports and documents: "ring"
  std::string_view source;  ///< the paper, in one line
  bool keeps_rank_order;    ///< right for operations that do not commute, too
  bool (*serves)(Rank size);
  void (*append)(schedule::ProgramBuilder&, const schedule::Collective&, std::uint64_t segment);

  /// Whether it can do this call, whatever its root and counts.
  [[nodiscard]] bool applicable(const schedule::Collective& call) const;
  /// A rank's own part. @param segment units, where it cuts messages; 0: as it likes
  /// @pre applicable(call), me < call.size
  [[nodiscard]] schedule::Program build(const schedule::Collective& call, Rank me,
                                        std::uint64_t segment = 0) const;
};

/// All classical algorithms, operation by operation, in the order of docs/collectives.md.
[[nodiscard]] std::span<const FlatAlgorithm> flat_algorithms();
/// The algorithm of that operation and name, or nullptr.
[[nodiscard]] const FlatAlgorithm* find_flat_algorithm(schedule::Operation operation,
                                                       std::string_view name);
/// The programs of all ranks.
[[nodiscard]] schedule::Schedule flat_schedule(const FlatAlgorithm& algorithm,
                                               const schedule::Collective& call,
                                               std::uint64_t segment = 0);

// The registry by kind of operation; flat_algorithms() has them all.
[[nodiscard]] std::span<const FlatAlgorithm> flat_rooted();      ///< broadcast .. scatter
[[nodiscard]] std::span<const FlatAlgorithm> flat_exchanges();   ///< barrier, allgather, alltoall
[[nodiscard]] std::span<const FlatAlgorithm> flat_reductions();  ///< allreduce .. exscan

}  // namespace espalier::collective
