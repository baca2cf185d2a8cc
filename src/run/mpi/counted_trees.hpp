#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "mpi/executor.hpp"
#include "runtime/count_planner.hpp"
#include "runtime/plan_cache.hpp"

namespace espalier::mpi {

/// Scatterv and gatherv of one communicator along trees by counts, which only the root knows
/// (docs/adr/0012-lengths-only-the-root-knows.md).
///
/// Scatterv: the root plans by the counts at hand, and roles travel with the data. Gatherv: some
/// rare calls, which all ranks count alike, end with the root telling everybody along which tree
/// the next go; until the first of these they go along the communicator's own plan.
class CountedTrees {
 public:
  /// @param executor of the same communicator; it and the machine must outlive this
  CountedTrees(Executor& executor, const runtime::Settings& settings,
               const topology::Machine& machine)
      : executor_(executor),
        channel_(executor.channel()),
        settings_(settings),
        machine_(machine),
        planner_(machine, settings) {}

  struct Call {
    Rank root = 0;
    const runtime::CachedPlan* plan = nullptr;  ///< the communicator's own plan
    BlockBuffers* buffers = nullptr;            ///< nullptr: wrong arguments here (gathers only)
  };
  struct Ran {
    int code = MPI_SUCCESS;
    std::string name;  ///< name of the tree or plan; ranks other than the root may know less
    std::optional<Time> predicted = {};
  };
  [[nodiscard]] Ran scatter(const Call& call);
  [[nodiscard]] Ran gather(const Call& call);

 private:
  /// Gathers to one root.
  struct Gathering {
    std::uint64_t calls = 0;
    std::optional<runtime::PreparedProgram>
        program;  // program of the tree that the root announced; absent before
    std::string name;
    std::optional<Time> predicted;
    // Only at the root: the tree that was announced last, and bytes since then.
    std::vector<runtime::RoleEntry> roles;
    std::vector<std::uint64_t> sums;
    std::uint64_t calls_summed = 0;
  };
  [[nodiscard]] bool is_me(Rank rank) const { return rank == channel_.rank(); }
  [[nodiscard]] runtime::PeerLink link_to(Rank rank) const;
  /// @param buffers of a scatter; nullptr: a tree is announced
  [[nodiscard]] std::unique_ptr<RoleRun> new_run(const Call& call, BlockBuffers* buffers,
                                                 std::uint64_t number) const;
  int finish(std::unique_ptr<RoleRun> run);
  Gathering& gathering_of(Rank root);
  static void add_lengths(Gathering& gathering, const BlockBuffers& buffers);
  std::unique_ptr<RoleRun> begin_telling(const Call& call, Gathering& gathering,
                                         std::optional<runtime::RolePlan>& next);
  int hear(const Call& call, Gathering& gathering);
  void take(Gathering& gathering, runtime::Roles roles, Rank parent) const;

  Executor& executor_;
  Channel& channel_;
  const runtime::Settings& settings_;
  const topology::Machine& machine_;
  runtime::CountPlanner planner_;         // of the trees whose root is this rank
  std::map<Rank, Gathering> gatherings_;  // gathers to each root
};

}  // namespace espalier::mpi
