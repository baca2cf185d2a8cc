// Broadcast and barrier.
#include "mpi/arguments.hpp"
#include "mpi/byte_buffer.hpp"
#include "mpi/calls.hpp"
#include "mpi/planned_call.hpp"
#include "mpi/staging.hpp"

namespace espalier::mpi {

using runtime::Reason;
using schedule::Operation;

namespace {

/// Elements with gaps are sent from where they lie, and received through bytes: MPICH 4.0.2 loses
/// its place ("message truncated") where bytes come into elements of mixed sizes, and what the
/// sender's type is only the sender knows.
int broadcast_with_gaps(Communicator& comm, const runtime::CachedPlan& plan, const LocalCall& call,
                        const Layout& layout, Elements elements) {
  const bool is_root = comm.rank() == call.root;
  const auto size = static_cast<std::uint64_t>(layout.size);
  const auto count = static_cast<std::uint64_t>(call.recv.count);
  auto* const data = bytes_at(call.recv.buffer);
  const std::uint64_t least_piece =
      plan.prepared.goes_far ? topology::kTransport.part_bytes : kMaxPieceBytes;
  if (is_root && cuts_whole_elements(plan.prepared.program, size, least_piece)) {
    elements.buffers.layout = layout;
    elements.buffers.units_per_element = size;
    output(elements.buffers) = data;
    return run(comm, plan, call.operation, elements);
  }
  ElementMemory staged(byte_layout(), elements.bytes);
  output(elements.buffers) = staged.address();
  elements.copied = staged.size();
  int code = is_root ? pack(layout, data, count, staged.address(), comm.self()) : MPI_SUCCESS;
  if (code != MPI_SUCCESS) return code;
  code = run(comm, plan, call.operation, elements);
  leave_if_failed(comm, code, staged);
  if (code != MPI_SUCCESS || is_root) return code;
  return unpack(layout, data, count, staged.address(), comm.self());
}

bool is_plausible(const Communicator& comm, const LocalCall& call) {
  const Side& data = call.recv;
  return data.count >= 0 && data.type != MPI_DATATYPE_NULL && is_rank(call.root, comm.size()) &&
         (data.buffer != MPI_IN_PLACE || data.count == 0) &&
         may_be_an_address(data.buffer, data.count, data.type);
}

/// Likewise, for a call that does not block.
void stage(Communicator& comm, const LocalCall& call, const Layout& layout, std::uint64_t bytes,
           PendingCall& pending) {
  const Layout kept = kept_layout(layout, pending.types);
  const bool is_root = comm.rank() == call.root;
  const auto size = static_cast<std::uint64_t>(layout.size);
  const auto count = static_cast<std::uint64_t>(call.recv.count);
  auto* const data = bytes_at(call.recv.buffer);
  ElementBuffers& buffers = pending.elements.buffers;
  const runtime::PreparedProgram& prepared = pending.plan->prepared;
  const std::uint64_t least_piece =
      prepared.goes_far ? topology::kTransport.part_bytes : kMaxPieceBytes;
  if (is_root && cuts_whole_elements(prepared.program, size, least_piece)) {
    buffers.layout = kept;
    buffers.units_per_element = size;
    output(buffers) = data;
    return;
  }
  std::byte* const staged = pending.add_memory(byte_layout(), bytes);
  output(buffers) = staged;
  const SelfLane self = pending.self();
  if (is_root) {
    pending.loads.emplace_back([=] { return pack(kept, data, count, staged, self); });
  } else {
    pending.end = [=] { return unpack(kept, data, count, staged, self); };
  }
}

}  // namespace

Outcome broadcast(Communicator& comm, const LocalCall& call) {
  const Side& data = call.recv;
  if (!is_plausible(comm, call)) return native(comm, call.operation, Reason::Arguments);
  const Layout layout = layout_of(data.type);
  const std::uint64_t total =
      static_cast<std::uint64_t>(data.count) * static_cast<std::uint64_t>(layout.size);
  const Planned planned = plan_call(comm, {call.operation, static_cast<Rank>(call.root), total});
  if (!planned) return planned.outcome;
  Elements elements;
  elements.bytes = total;
  elements.buffers.layout = byte_layout();
  if (!layout.dense && total != 0) {
    return planned.ended(comm, broadcast_with_gaps(comm, *planned.plan, call, layout, elements));
  }
  output(elements.buffers) = bytes_at(data.buffer) + layout.true_lb;
  return planned.ended(comm, run(comm, *planned.plan, call.operation, elements));
}

Outcome barrier(Communicator& comm, const LocalCall& call) {
  const Planned planned = plan_call(comm, {call.operation});
  if (!planned) return planned.outcome;
  Elements elements;
  elements.buffers.layout = byte_layout();
  return planned.ended(comm, run(comm, *planned.plan, call.operation, elements));
}

Outcome start_broadcast(Communicator& comm, const LocalCall& call, const Starting& how) {
  if (!is_plausible(comm, call)) return native_pending();
  const Side& data = call.recv;
  const Layout layout = layout_of(data.type);
  const std::uint64_t total =
      static_cast<std::uint64_t>(data.count) * static_cast<std::uint64_t>(layout.size);
  auto pending = plan_pending(comm, how, {call.operation, static_cast<Rank>(call.root), total});
  if (pending == nullptr) return native_pending();
  pending->elements.buffers.layout = byte_layout();
  if (layout.dense || total == 0) {
    output(pending->elements.buffers) = bytes_at(data.buffer) + layout.true_lb;
  } else {
    stage(comm, call, layout, total, *pending);
  }
  return start(comm, call.operation, std::move(pending), how);
}

Outcome start_barrier(Communicator& comm, const LocalCall& call, const Starting& how) {
  auto pending = plan_pending(comm, how, {call.operation});
  if (pending == nullptr) return native_pending();
  pending->elements.buffers.layout = byte_layout();
  return start(comm, call.operation, std::move(pending), how);
}

}  // namespace espalier::mpi
