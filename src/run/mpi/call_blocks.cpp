// The irregular calls: gatherv, scatterv, allgatherv, alltoallv, alltoallw.
//
// Who moves how much only some of the ranks know, so planned or native depends on the communicator
// (and for allgatherv on its counts, which all ranks have and count): first the plan is found,
// which may be collective, then this rank's own arguments are looked at. If those are wrong the MPI
// library says so, and the number of the call is used up: here it stays in step with ranks that
// were right.
#include "mpi/arguments.hpp"
#include "mpi/call_trace.hpp"
#include "mpi/calls.hpp"
#include "mpi/planned_call.hpp"
#include "mpi/seconds_now.hpp"
#include "select/counted_runs.hpp"

namespace espalier::mpi {

using runtime::Reason;
using schedule::Operation;

namespace {

/// Bytes of each block of an allgatherv; nothing if the counts are wrong.
std::optional<std::vector<std::uint64_t>> bytes_of_blocks(const Side& recv, int size) {
  if (recv.counts == nullptr || recv.displacements == nullptr) return std::nullopt;
  if (recv.type == MPI_DATATYPE_NULL) return std::nullopt;
  std::vector<std::uint64_t> bytes(static_cast<std::size_t>(size), 0);
  bool is_empty = true;
  for (std::size_t b = 0; b < bytes.size(); ++b) {
    if (recv.counts[b] < 0) return std::nullopt;
    bytes[b] = static_cast<std::uint64_t>(recv.counts[b]);
    is_empty = is_empty && bytes[b] == 0;
  }
  if (is_empty) return bytes;
  const auto element = static_cast<std::uint64_t>(layout_of(recv.type).size);
  for (std::uint64_t& block : bytes) block *= element;
  return bytes;
}

/// What all ranks know of the call; nothing if this rank sees that it is wrong.
std::optional<runtime::SharedCall> shared_by_all(const Communicator& comm, const LocalCall& call) {
  runtime::SharedCall shared{call.operation, 0, select::kUnknownBlock, 1, true, true};
  if (has_root(call.operation)) {
    if (!is_rank(call.root, comm.size())) return std::nullopt;
    shared.root = static_cast<Rank>(call.root);
  }
  if (call.operation == Operation::Allgather) {
    auto bytes = bytes_of_blocks(call.recv, comm.size());
    if (!bytes) return std::nullopt;
    shared.counts = *std::move(bytes);
  }
  return shared;
}

/// Scatterv and gatherv along trees by counts, which only the root knows.
Outcome move_by_counts(Communicator& comm, const LocalCall& call, Planned planned,
                       std::optional<BlockBuffers> buffers) {
  if (buffers && !are_committed(*buffers, comm.hidden().self())) buffers.reset();
  const double begin = comm.keeps_log() ? seconds_now() : 0;
  const std::uint64_t bytes = buffers ? own_bytes(*buffers) : 0;
  CountedTrees& trees = comm.hidden().counted_trees(comm.plans().group()->machine());
  const CountedTrees::Call rooted{static_cast<Rank>(call.root), planned.plan,
                                  buffers ? &*buffers : nullptr};
  CountedTrees::Ran ran;
  const CallTrace traced(comm, *planned.plan, true);
  if (call.operation == Operation::Gather) {
    ran = trees.gather(rooted);
  } else if (buffers) {
    ran = trees.scatter(rooted);
  } else {
    leave_call(comm, *planned.plan);
  }
  if (!buffers) {
    comm.hidden().mark_failed();
    return native(comm, call.operation, Reason::Arguments);
  }
  comm.last_tree = std::move(ran.name);
  note_planned(comm, {call.operation, bytes, comm.last_tree, select::kWhyByCounts, ran.predicted},
               begin);
  planned.outcome.plan = comm.last_tree;
  return planned.ended(comm, ran.code);
}

/// Makes a payload of a call that does not block.
void set_payload(PendingCall& pending, BlockBuffers buffers) {
  pending.payload =
      std::make_unique<BlockPayload>(pending.plan->prepared, std::move(buffers), pending.self());
}

/// Each start has a payload of its own: blocks that pass through a rank are held there.
/// @param kept where the user's blocks are; the layouts in it stay for all starts
void bind_blocks(PendingCall& pending, BlockBuffers kept, bool copies_input) {
  const auto blocks = std::make_shared<const BlockBuffers>(std::move(kept));
  pending.loads.emplace_back([&pending, blocks, copies_input] {
    BlockBuffers fresh{blocks->in, blocks->out, {}, nullptr};
    const int code = copies_input ? copy_input(fresh, pending.self()) : MPI_SUCCESS;
    set_payload(pending, std::move(fresh));
    return code;
  });
}

std::uint64_t bytes_of_side(const Side& side) {
  if (side.count <= 0 || side.type == MPI_DATATYPE_NULL) return 0;
  MPI_Count size = 0;  // a type may hold more than an int counts
  PMPI_Type_size_x(side.type, &size);
  return static_cast<std::uint64_t>(side.count) * static_cast<std::uint64_t>(size);
}

}  // namespace

Outcome move_blocks(Communicator& comm, const LocalCall& call) {
  auto shared = shared_by_all(comm, call);
  if (!shared) return native(comm, call.operation, Reason::Arguments);
  const bool is_counted = comm.plans().take_lengths(*shared, ClassPlans::Blocks::Yes);
  Planned planned = plan_call(comm, *std::move(shared));
  // All ranks count calls with these lengths, so each must come here every time.
  if (is_counted) planned.outcome.native_for_good = nullptr;
  if (!planned) return planned.outcome;
  auto buffers = user_blocks(call, comm.rank(), comm.size());
  if (comm.goes_by_counts(call.operation)) {
    return move_by_counts(comm, call, planned, std::move(buffers));
  }
  return run_on_blocks(comm, call, planned, std::move(buffers));
}

Outcome run_on_blocks(Communicator& comm, const LocalCall& call, const Planned& planned,
                      std::optional<BlockBuffers> buffers) {
  const runtime::CachedPlan& plan = *planned.plan;
  const SelfLane self = comm.hidden().self();
  if (!buffers || !are_committed(*buffers, self)) {
    leave_call(comm, plan);
    return native(comm, call.operation, Reason::Arguments);
  }
  const double begin = comm.keeps_log() ? seconds_now() : 0;
  const std::uint64_t bytes = own_bytes(*buffers);
  int code = save_input(call, plan.prepared.program, *buffers, self);
  if (code == MPI_SUCCESS) {
    const CallTrace traced(comm, plan, true);
    code = comm.hidden().executor().run_blocks(plan.prepared, std::move(*buffers), plan.signature);
  } else {
    leave_call(comm, plan);
  }
  note_planned(comm, {call.operation, bytes, plan.name, plan.why, plan.predicted}, begin);
  return planned.ended(comm, code);
}

// Along the plan whatever the operation: trees by counts are for calls that block.
Outcome start_blocks(Communicator& comm, const LocalCall& call, const Starting& how) {
  auto shared = shared_by_all(comm, call);
  if (shared) (void)comm.plans().take_lengths(*shared, ClassPlans::Blocks::No);
  auto pending = shared ? plan_pending(comm, how, *std::move(shared)) : nullptr;
  if (pending == nullptr) return native_pending();
  return start_on_blocks(comm, call, how, std::move(pending),
                         user_blocks(call, comm.rank(), comm.size()));
}

Outcome start_on_blocks(Communicator& comm, const LocalCall& call, const Starting& how,
                        std::unique_ptr<PendingCall> pending, std::optional<BlockBuffers> buffers) {
  if (!buffers) {
    if (!how.is_persistent) comm.starts().skip();
    return native_pending();
  }
  for (Layout& layout : buffers->layouts) layout = kept_layout(layout, pending->types);
  const bool copies_input = needs_input_copy(call, pending->plan->prepared.program);
  pending->end = [&pending = *pending] {
    const auto& blocks = static_cast<const BlockPayload&>(*pending.payload);
    return blocks.overflowed() ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  };
  if (how.is_persistent) {
    bind_blocks(*pending, std::move(*buffers), copies_input);
  } else {
    if (copies_input) pending->note(copy_input(*buffers, pending->self()));
    set_payload(*pending, std::move(*buffers));
  }
  return start_payload(comm, call.operation, std::move(pending), how);
}

std::uint64_t bytes_of(Communicator& comm, const LocalCall& call) {
  // Between groups the arguments mean something else.
  if (comm.never() == Reason::Intercommunicator) return 0;
  if (schedule::is_neighbourhood(call.operation)) {
    const auto buffers = neighbour_blocks(call, comm.neighbours().own());
    return buffers ? own_bytes(*buffers) : 0;
  }
  if (reduces(call.operation) && call.irregular) {
    Side mean = call.recv;
    for (int r = 0; r < comm.size(); ++r) mean.count += call.recv.counts[r];
    mean.count /= comm.size();
    return bytes_of_side(mean);
  }
  if (call.irregular) {
    const auto buffers = user_blocks(call, comm.rank(), comm.size());
    return buffers ? own_bytes(*buffers) : 0;
  }
  if (call.operation != Operation::Gather && call.operation != Operation::Scatter) {
    return bytes_of_side(call.recv);
  }
  const bool is_root = comm.rank() == call.root;
  return bytes_of_side(is_root == (call.operation == Operation::Gather) ? call.recv : call.send);
}

}  // namespace espalier::mpi
