// Broadcast and barrier.
#include "mpi/arguments.hpp"
#include "mpi/calls.hpp"
#include "mpi/planned_call.hpp"
#include "mpi/staging.hpp"

namespace espalier::mpi {

using runtime::Reason;
using schedule::Operation;

namespace {

bool is_plausible(const Communicator& comm, const LocalCall& call) {
  const Side& data = call.recv;
  return data.count >= 0 && data.type != MPI_DATATYPE_NULL && is_rank(call.root, comm.size()) &&
         (data.buffer != MPI_IN_PLACE || data.count == 0) &&
         may_be_an_address(data.buffer, data.count, data.type);
}

/// Elements with gaps are sent from where they lie, and received through bytes: MPICH 4.0.2 loses
/// its place ("message truncated") where bytes come into elements of mixed sizes, and what the
/// sender's type is only the sender knows.
void stage_gaps(const Communicator& comm, const LocalCall& call, const Layout& layout,
                const runtime::PreparedProgram& prepared, const SelfLane& self,
                ElementBuffers& buffers, Staged& staged) {
  const bool is_root = comm.rank() == call.root;
  const auto size = static_cast<std::uint64_t>(layout.size);
  const auto count = static_cast<std::uint64_t>(call.recv.count);
  auto* const data = bytes_at(call.recv.buffer);
  const std::uint64_t least_piece =
      prepared.goes_far ? topology::kTransport.part_bytes : kMaxPieceBytes;
  if (is_root && cuts_whole_elements(prepared.program, size, least_piece)) {
    buffers.layout = layout;
    buffers.units_per_element = size;
    output(buffers) = data;
    return;
  }
  std::byte* const bytes = output(buffers) = staged.add_memory(byte_layout(), count * size);
  if (is_root) {
    staged.loads.emplace_back([=] { return pack(layout, data, count, bytes, self); });
  } else {
    staged.end = [=] { return unpack(layout, data, count, bytes, self); };
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
  const runtime::CachedPlan& plan = *planned.plan;
  if (layout.dense || total == 0) {
    output(elements.buffers) = bytes_at(data.buffer) + layout.true_lb;
    return planned.ended(comm, run(comm, plan, call.operation, elements));
  }
  if (!is_committed(layout, comm.hidden().self())) {
    return planned.ended(comm, leave_untyped(comm, plan));
  }
  Staged staged;
  stage_gaps(comm, call, layout, plan.prepared, comm.hidden().self(), elements.buffers, staged);
  return planned.ended(comm, run(comm, plan, call.operation, elements, staged));
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
  ElementBuffers& buffers = pending->elements.buffers;
  buffers.layout = byte_layout();
  if (layout.dense || total == 0) {
    output(buffers) = bytes_at(data.buffer) + layout.true_lb;
  } else {
    stage_gaps(comm, call, kept_layout(layout, pending->types), pending->plan->prepared,
               pending->self(), buffers, *pending);
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
