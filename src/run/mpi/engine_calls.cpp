// What all operations share, and broadcast and barrier: arguments are looked at, a plan is found,
// the executor runs it. Before the first message any doubt means native, on all ranks together.
#include <algorithm>

#include "mpi/arguments.hpp"
#include "mpi/byte_buffer.hpp"
#include "mpi/engine.hpp"
#include "mpi/staging.hpp"

namespace espalier::mpi {

using runtime::CachedPlan;
using runtime::PlanKey;
using runtime::Reason;
using schedule::Buffer;
using schedule::Operation;

bool Engine::native(Communicator* comm, Operation operation, Reason reason) {
  std::uint64_t& calls = comm->counts.native(operation, reason);
  ++calls;
  LastCall& last = last_call();
  last.outcome = {false, reason};
  last.size = comm->size();
  last.native_for_good = is_for_good(reason) ? &calls : nullptr;
  return false;
}

void Engine::leave_call(Communicator& comm) {
  comm.mark_failed();
  comm.executor().skip_call();
}

const CachedPlan* Engine::plan(Communicator& comm, const PlanKey& key) {
  Reason reason = Reason::NoPlan;
  const CachedPlan* plan = comm.plan(key, reason);
  LastCall& last = last_call();
  if (plan == nullptr) {
    native(&comm, key.operation, reason);
    if (!comm.is_for_good()) last.native_for_good = nullptr;
  }
  if (runtime::ClassPolicy* timed = comm.timed()) {
    last.timed = timed;
    last.begin = PMPI_Wtime();
  }
  return plan;
}

void Engine::note_planned(Communicator& comm, const CachedPlan& plan, const Call& call,
                          double begin) {
  ++comm.counts.planned[static_cast<std::size_t>(call.operation)];
  LastCall& last = last_call();
  last.outcome.planned = true;
  last.plan = plan.label;
  if (!keeps_log()) return;
  const double predicted = plan.predicted ? to_microseconds(*plan.predicted) : -1;
  comm.log.add({comm.name(), call.operation, select::size_class(Bytes{call.bytes}), plan.name,
                plan.why, 1, predicted, (PMPI_Wtime() - begin) * 1e6});
}

bool Engine::run(Communicator& comm, const CachedPlan& plan, Execution& execution, Call& call,
                 int& code) {
  const double begin = keeps_log() ? PMPI_Wtime() : 0;
  execution.program = &plan.prepared;
  execution.signature = plan.signature;
  const std::uint64_t scratch_units = plan.prepared.program.scratch_units;
  ElementMemory scratch(execution.buffers.layout,
                        scratch_units / execution.buffers.units_per_element);
  execution.buffers.base[static_cast<std::size_t>(Buffer::Scratch)] = scratch.address();
  comm.staging_bytes = std::max(comm.staging_bytes, scratch.size() + call.copied);
  code = comm.executor().run(execution);
  note_planned(comm, plan, call, begin);
  if (code != MPI_SUCCESS) {
    failed(comm);
    leave(comm, scratch);
  }
  return true;
}

bool Engine::broadcast(void* buffer, std::int64_t count, MPI_Datatype type, int root,
                       MPI_Comm handle, int& code) {
  Communicator* comm = enter(handle);
  if (comm == nullptr) return false;
  if (comm->never()) return native(comm, Operation::Broadcast, *comm->never());
  if (count < 0 || type == MPI_DATATYPE_NULL || root < 0 || root >= comm->size() ||
      !may_be_an_address(buffer, count, type)) {
    return native(comm, Operation::Broadcast, Reason::Arguments);
  }
  const Layout layout = layout_of(type);
  const auto elements = static_cast<std::uint64_t>(count);
  const std::uint64_t total = elements * static_cast<std::uint64_t>(layout.size);
  const CachedPlan* found =
      plan(*comm, {Operation::Broadcast, static_cast<Rank>(root), total, 1, true, false});
  if (found == nullptr) return false;

  Call call{Operation::Broadcast, total};
  Execution execution;
  auto& out = execution.buffers.base[static_cast<std::size_t>(Buffer::Out)];
  execution.buffers.layout = byte_layout();
  if (layout.dense || total == 0) {
    out = bytes_at(buffer) + layout.true_lb;
    return run(*comm, *found, execution, call, code);
  }
  // Elements with gaps are sent from where they lie, and received through bytes: MPICH 4.0.2 loses
  // its place ("message truncated") where bytes come into elements of mixed sizes, and what the
  // sender's type is only the sender knows.
  const auto size = static_cast<std::uint64_t>(layout.size);
  const std::uint64_t least_piece =
      found->prepared.goes_far ? topology::kTransport.part_bytes : kMaxPieceBytes;
  if (comm->rank() == root && cuts_whole_elements(found->prepared.program, size, least_piece)) {
    execution.buffers.layout = layout;
    execution.buffers.units_per_element = size;
    out = bytes_at(buffer);
    return run(*comm, *found, execution, call, code);
  }
  ElementMemory staged(byte_layout(), total);
  out = staged.address();
  call.copied = staged.size();
  code = MPI_SUCCESS;
  if (comm->rank() == root) {
    code = pack(layout, buffer, elements, out, comm->self());
    if (code != MPI_SUCCESS) failed(*comm);
  }
  if (code == MPI_SUCCESS) {
    run(*comm, *found, execution, call, code);
    if (code != MPI_SUCCESS) leave(*comm, staged);
  }
  if (code == MPI_SUCCESS && comm->rank() != root) {
    code = unpack(layout, buffer, elements, out, comm->self());
    if (code != MPI_SUCCESS) failed(*comm);
  }
  return true;
}

bool Engine::barrier(MPI_Comm handle, int& code) {
  Communicator* comm = enter(handle);
  if (comm == nullptr) return false;
  if (comm->never()) return native(comm, Operation::Barrier, *comm->never());
  const CachedPlan* found = plan(*comm, {Operation::Barrier, 0, 0, 1, true, false});
  if (found == nullptr) return false;
  Execution execution;
  execution.buffers.layout = byte_layout();
  Call call{Operation::Barrier, 0};
  return run(*comm, *found, execution, call, code);
}

void Engine::note_native(Operation operation, std::uint64_t bytes_moved, MPI_Comm handle,
                         double seconds) {
  Communicator* comm = find(handle);
  if (comm == nullptr) return;
  comm->log.add({comm->name(), operation, select::size_class(Bytes{bytes_moved}), "native",
                 std::string(name_of(last_call().outcome.reason)), 1, -1, seconds * 1e6});
}

}  // namespace espalier::mpi
