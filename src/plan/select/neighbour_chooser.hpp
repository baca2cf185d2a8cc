#pragma once

#include <compare>
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
  std::optional<Time> predicted = {}, native_predicted = {};
  std::optional<collective::NeighbourPlan> plan = {};  ///< absent: native

  [[nodiscard]] bool planned() const { return plan.has_value(); }
};

/// Chooses plans for the neighbourhood collectives of one communicator, by simulation.
///
/// How long the blocks are, no two ranks need to know alike: MPI asks for equal lengths along an
/// edge only. Callers give a length that all ranks agreed on. A plan must be clearly ahead (a
/// tenth) of what both MPI libraries do: each block straight to its neighbour.
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

  /// A kind of calls: an operation, and about how many bytes a block has.
  struct Kind {
    schedule::Operation operation{};
    std::uint64_t bytes = 0;
    friend auto operator<=>(const Kind&, const Kind&) = default;
  };
  /// Remembered. @pre is_neighbourhood(kind.operation)
  [[nodiscard]] const NeighbourChoice& choose(const Kind& kind);
  /// A rank's part. @pre choose(kind).planned()
  [[nodiscard]] schedule::Program own_part(const Kind& kind, Rank rank);
  [[nodiscard]] schedule::Collective call_of(const Kind& kind) const;

 private:
  struct Kept {
    NeighbourChoice choice;
    std::optional<collective::NeighbourRoutes> routes;
  };
  [[nodiscard]] Kept& kept(const Kind& kind);
  [[nodiscard]] NeighbourChoice make_choice(const Kind& kind) const;
  [[nodiscard]] NeighbourChoice best_of(const Kind& kind,
                                        const std::vector<collective::NeighbourPlan>& plans) const;
  /// Levels that some block has to cross; only far ones unless a plan is demanded.
  [[nodiscard]] std::vector<std::uint32_t> crossed_levels() const;
  [[nodiscard]] std::optional<Time> simulated(const collective::NeighbourPlan& plan,
                                              const schedule::Collective& call,
                                              const sim::SimOptions& options) const;

  const topology::Machine& machine_;
  std::shared_ptr<const schedule::NeighbourGraph> graph_;
  Rules rules_;
  std::map<Kind, Kept> kept_;
};

}  // namespace espalier::select
