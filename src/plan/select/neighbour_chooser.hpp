#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collective/neighbourhood.hpp"
#include "schedule/collective.hpp"
#include "schedule/program.hpp"
#include "select/rules.hpp"
#include "topology/machine.hpp"

namespace espalier::select {

/// How neighbourhood collectives of one kind shall run.
struct NeighbourChoice {
  std::string name = "native";  ///< name of the plan, or "native"
  std::string why;
  /// Times for blocks of kUnknownBlock bytes.
  std::optional<Time> predicted = {}, native_predicted = {};
  std::optional<collective::NeighbourPlan> plan = {};  ///< absent: native

  [[nodiscard]] bool planned() const { return plan.has_value(); }
};

/// Chooses plans for the neighbourhood collectives of one communicator, by simulation.
///
/// How long the blocks are, no two ranks need to know alike: MPI asks for equal lengths along an
/// edge only. So a choice depends on graph, machine and rules. It is made for blocks of 1 KiB, and
/// for blocks of 64 KiB. A plan must be clearly ahead in one case (a tenth), and behind in neither.
/// What it is compared with is what both MPI libraries do: each block straight to its neighbour.
///
/// All ranks know the same, so each comes to the same choice. Not thread-safe.
class NeighbourChooser {
 public:
  /// Simulations of more blocks would take too long: native.
  static constexpr std::uint64_t kMostEdges = 16384;

  /// @param machine must outlive it
  /// @param graph consistent, of as many ranks as the machine has
  NeighbourChooser(const topology::Machine& machine,
                   std::shared_ptr<const schedule::NeighbourGraph> graph, Rules rules);

  /// Remembered. @pre is_neighbourhood(operation)
  [[nodiscard]] const NeighbourChoice& choose(schedule::Operation operation);
  /// A rank's part. @pre choose(operation).planned()
  [[nodiscard]] schedule::Program own_part(schedule::Operation operation, Rank rank);
  /// The call, with blocks of so many bytes.
  [[nodiscard]] schedule::Collective call_of(schedule::Operation operation,
                                             std::uint64_t bytes) const;

 private:
  struct Kept {
    NeighbourChoice choice;
    std::optional<collective::NeighbourRoutes> routes;
  };
  [[nodiscard]] Kept& kept(schedule::Operation operation);
  [[nodiscard]] NeighbourChoice make_choice(schedule::Operation operation) const;
  [[nodiscard]] NeighbourChoice best_of(schedule::Operation operation,
                                        const std::vector<collective::NeighbourPlan>& plans) const;
  /// Levels that some block has to cross; only far ones unless a plan is demanded.
  [[nodiscard]] std::vector<std::uint32_t> crossed_levels() const;
  [[nodiscard]] std::optional<Time> simulated(const collective::NeighbourPlan& plan,
                                              const schedule::Collective& call,
                                              const sim::SimOptions& options) const;

  const topology::Machine& machine_;
  std::shared_ptr<const schedule::NeighbourGraph> graph_;
  Rules rules_;
  std::map<schedule::Operation, Kept> kept_;
};

}  // namespace espalier::select
