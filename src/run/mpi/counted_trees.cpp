#include "mpi/counted_trees.hpp"

#include <algorithm>

#include "runtime/role_header.hpp"

namespace espalier::mpi {

using runtime::RolePlan;
using schedule::Operation;

namespace {

/// More are forgotten all together, by all ranks at the same call.
constexpr std::size_t kMostRoots = 64;

}  // namespace

runtime::PeerLink CountedTrees::link_to(Rank rank) const {
  return runtime::link_along(machine_.path(channel_.rank(), rank));
}

std::unique_ptr<RoleRun> CountedTrees::new_run(const Call& call, BlockBuffers* buffers,
                                               std::uint64_t number) const {
  return std::make_unique<RoleRun>(
      channel_,
      RoleCall{call.plan->signature, [this](Rank rank) { return link_to(rank); }, buffers}, number);
}

int CountedTrees::finish(std::unique_ptr<RoleRun> run) {
  const int code = run->finish();
  executor_.keep(std::move(run));
  return code;
}

CountedTrees::Ran CountedTrees::scatter(const Call& call) {
  const std::uint64_t number = channel_.take_number();
  auto run = new_run(call, call.buffers, number);
  if (!is_me(call.root)) {
    // Whoever gets nothing is in no tree, and the root, whose counts must agree, knows that too.
    if (call.buffers->out.front().capacity == 0) return {MPI_SUCCESS, "by counts", {}};
    run->receive();
    return {finish(std::move(run)), "by counts", {}};
  }
  std::vector<std::uint64_t> bytes;
  bytes.reserve(channel_.size());
  for (const BlockView& block : call.buffers->in) bytes.push_back(block.bytes);
  const RolePlan& plan = planner_.scatter(call.root, bytes);
  run->scatter(plan.roles);
  return {finish(std::move(run)), plan.name, plan.predicted};
}

CountedTrees::Ran CountedTrees::gather(const Call& call) {
  Gathering& gathering = gathering_of(call.root);
  ++gathering.calls;
  const bool is_named = runtime::tree_named(settings_, Operation::Gather).has_value();
  const bool tells = runtime::tells_tree(gathering.calls, is_named);
  std::optional<RolePlan> next;
  std::unique_ptr<RoleRun> telling;
  if (is_me(call.root)) {
    if (call.buffers != nullptr) add_lengths(gathering, *call.buffers);
    if (tells) telling = begin_telling(call, gathering, next);
  }
  Ran ran{MPI_SUCCESS, gathering.program ? gathering.name : call.plan->name,
          gathering.program ? gathering.predicted : call.plan->predicted};
  if (call.buffers == nullptr) {
    executor_.skip_call();
  } else {
    const runtime::PreparedProgram& program =
        gathering.program ? *gathering.program : call.plan->prepared;
    ran.code = executor_.run_blocks(program, std::move(*call.buffers), call.plan->signature);
    if (ran.code != MPI_SUCCESS) executor_.channel().note_failure();  // before the next number
  }
  if (!tells) return ran;
  int code = MPI_SUCCESS;
  if (is_me(call.root)) {
    executor_.skip_call();  // its number is that of the announcement
    code = finish(std::move(telling));
    if (next) {
      gathering.name = next->name;
      gathering.predicted = next->predicted;
      take(gathering, gathering.roles, kNoRank);
    }
  } else if (call.buffers != nullptr && ran.code == MPI_SUCCESS) {
    code = hear(call, gathering);
  } else {
    executor_.skip_call();
  }
  if (ran.code == MPI_SUCCESS) ran.code = code;
  return ran;
}

CountedTrees::Gathering& CountedTrees::gathering_of(Rank root) {
  if (gatherings_.size() >= kMostRoots && !gatherings_.contains(root)) gatherings_.clear();
  return gatherings_[root];
}

void CountedTrees::add_lengths(Gathering& gathering, const BlockBuffers& buffers) {
  gathering.sums.resize(buffers.out.size());
  for (std::size_t r = 0; r < buffers.out.size(); ++r) {
    gathering.sums[r] += buffers.out[r].capacity;
  }
  ++gathering.calls_summed;
}

/// Announces a tree for the mean lengths since the last announcement. It leaves before the gather,
/// under the number of the call behind it.
std::unique_ptr<RoleRun> CountedTrees::begin_telling(const Call& call, Gathering& gathering,
                                                     std::optional<RolePlan>& next) {
  std::vector<std::uint64_t> mean = std::move(gathering.sums);
  mean.resize(channel_.size());
  const std::uint64_t calls = std::max<std::uint64_t>(1, gathering.calls_summed);
  for (std::uint64_t& bytes : mean) bytes = (bytes + calls - 1) / calls;
  gathering.sums.clear();
  gathering.calls_summed = 0;
  next = planner_.better_gather(call.root, std::move(mean), gathering.roles.empty());
  if (next) {
    gathering.roles = std::move(next->roles);
    for (runtime::RoleEntry& role : gathering.roles) role.bytes = 0;  // no data travels with it
  }
  auto run = new_run(call, nullptr, channel_.calls() + 1);
  run->tell(gathering.roles);
  return run;
}

int CountedTrees::hear(const Call& call, Gathering& gathering) {
  auto run = new_run(call, nullptr, channel_.take_number());
  run->receive();
  const int code = run->finish();
  if (code == MPI_SUCCESS) {
    gathering.name = "by counts";
    take(gathering, run->told().roles, run->told().by);
  }
  executor_.keep(std::move(run));
  return code;
}

void CountedTrees::take(Gathering& gathering, runtime::Roles roles, Rank parent) const {
  gathering.program = runtime::prepare(runtime::gather_program(roles, parent),
                                       [&](Rank rank) { return link_to(rank); });
}

}  // namespace espalier::mpi
