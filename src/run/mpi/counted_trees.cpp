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

CountedTrees::CountedTrees(Executor& channel, BlockExecutor& blocks, const SelfLane& self,
                           Rank size, runtime::Tags tags, const runtime::Settings& settings)
    : channel_(channel),
      blocks_(blocks),
      self_(self),
      size_(size),
      settings_(settings),
      roles_(channel, self, size, tags, ExecutorOptions{}) {}

void CountedTrees::plan_for(const topology::Machine& machine) {
  machine_ = &machine;
  planner_ = std::make_unique<runtime::CountPlanner>(machine, settings_);
  gatherings_.clear();
}

runtime::PeerLink CountedTrees::link_to(Rank rank) const {
  const topology::Path path = machine_->path(static_cast<Rank>(self_.rank), rank);
  return {path.level, topology::kTransport.is_far(path.latency)};
}

RoleCall CountedTrees::role_call(const Call& call) const {
  return {call.plan->signature, [this](Rank rank) { return link_to(rank); }, call.buffers};
}

CountedTrees::Ran CountedTrees::scatter(const Call& call) {
  if (!is_me(call.root)) {
    // Whoever gets nothing is in no tree, and the root, whose counts must agree, knows that too.
    if (call.buffers->out.front().capacity > 0) {
      return {roles_.receive(role_call(call)), "by counts", {}};
    }
    channel_.skip_call();
    return {MPI_SUCCESS, "by counts", {}};
  }
  std::vector<std::uint64_t> bytes;
  bytes.reserve(size_);
  for (const BlockView& block : call.buffers->in) bytes.push_back(block.bytes);
  const RolePlan& plan = planner_->scatter(call.root, bytes);
  return {roles_.scatter(plan.roles, role_call(call)), plan.name, plan.predicted};
}

CountedTrees::Ran CountedTrees::gather(const Call& call) {
  Gathering& gathering = gathering_of(call.root);
  ++gathering.calls;
  const bool is_named = runtime::tree_named(settings_, Operation::Gather).has_value();
  const bool tells = runtime::tells_tree(gathering.calls, is_named);
  std::optional<RolePlan> next;
  if (is_me(call.root)) {
    if (call.buffers != nullptr) add_lengths(gathering, *call.buffers);
    if (tells) begin_telling(call, gathering, next);
  }
  Ran ran{MPI_SUCCESS, gathering.program ? gathering.name : call.plan->name,
          gathering.program ? gathering.predicted : call.plan->predicted};
  if (call.buffers == nullptr) {
    channel_.skip_call();
  } else {
    const runtime::PreparedProgram& program =
        gathering.program ? *gathering.program : call.plan->prepared;
    ran.code = blocks_.run({&program, std::move(*call.buffers), call.plan->signature});
  }
  if (!tells) return ran;
  int code = MPI_SUCCESS;
  if (is_me(call.root)) {
    code = roles_.finish_telling();
    if (next) {
      gathering.name = next->name;
      gathering.predicted = next->predicted;
      take(gathering, gathering.roles, kNoRank);
    }
  } else if (ran.code == MPI_SUCCESS) {
    code = hear(call, gathering);
  } else {
    channel_.skip_call();
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

/// Announces a tree for the mean lengths since the last announcement.
void CountedTrees::begin_telling(const Call& call, Gathering& gathering,
                                 std::optional<RolePlan>& next) {
  std::vector<std::uint64_t> mean = std::move(gathering.sums);
  mean.resize(size_);
  const std::uint64_t calls = std::max<std::uint64_t>(1, gathering.calls_summed);
  for (std::uint64_t& bytes : mean) bytes = (bytes + calls - 1) / calls;
  gathering.sums.clear();
  gathering.calls_summed = 0;
  next = planner_->better_gather(call.root, std::move(mean), gathering.roles.empty());
  if (next) {
    gathering.roles = std::move(next->roles);
    for (runtime::RoleEntry& role : gathering.roles) role.bytes = 0;  // no data travels with it
  }
  roles_.begin_telling(gathering.roles, role_call(call));
}

int CountedTrees::hear(const Call& call, Gathering& gathering) {
  RoleExecutor::Told told;
  const int code = roles_.hear(role_call(call), told);
  if (code != MPI_SUCCESS) return code;
  gathering.name = "by counts";
  take(gathering, told.roles, told.by);
  return MPI_SUCCESS;
}

void CountedTrees::take(Gathering& gathering, runtime::Roles roles, Rank parent) const {
  gathering.program = runtime::prepare(runtime::gather_program(roles, parent),
                                       [&](Rank rank) { return link_to(rank); });
}

}  // namespace espalier::mpi
