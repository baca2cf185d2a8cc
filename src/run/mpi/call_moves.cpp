// Allgather and alltoall of equal blocks, and what gather and scatter (call_rooted.cpp) share with
// them. Ranks may describe one block by different types, so blocks are planned in bytes: those that
// a rank's own significant arguments come to, which the standard wants to be the same everywhere.
#include "mpi/calls.hpp"
#include "mpi/move.hpp"

namespace espalier::mpi {

using runtime::Reason;
using schedule::Operation;

namespace {

/// Whether bytes of the one may lie among those of the other.
bool may_overlap(const UserData& a, const UserData& b) {
  if (a.bytes() == 0 || b.bytes() == 0) return false;
  const std::byte* const first = a.address + a.layout.lowest(a.count);
  const std::byte* const second = b.address + b.layout.lowest(b.count);
  return first < second + b.layout.span(b.count) && second < first + a.layout.span(a.count);
}

/// Allgather and alltoall, where all ranks have the same to say; nothing if that is wrong.
std::optional<Move> exchange_of(const Communicator& comm, const LocalCall& call) {
  const bool in_place = call.send.is_in_place();
  if (!may_be_data(call.recv) || (!in_place && !may_be_data(call.send))) return std::nullopt;
  const bool is_allgather = call.operation == Operation::Allgather;
  Move move{call.operation};
  move.out = blocks_at(call.recv, comm.size());
  move.in_place = in_place;
  move.block = block_of(move.out, 0, call.recv.count).bytes();
  // What would be the input in place.
  const UserData own = is_allgather ? block_of(move.out, comm.rank(), call.recv.count) : move.out;
  move.in = in_place ? own : blocks_at(call.send, is_allgather ? 1 : comm.size());
  const std::uint64_t before =
      is_allgather ? static_cast<std::uint64_t>(comm.rank()) * move.block : 0;
  if (move.in.bytes() != own.bytes() || is_refused_alias(call.send, call.recv, before)) {
    return std::nullopt;
  }
  return move;
}

/// Whether the input must be copied.
bool needs_copy(const Move& move, const runtime::CachedPlan& plan) {
  const bool joined = move.in_place && move.out.layout.dense;
  return move.in_place ? !joined || plan.needs_input_copy
                       : !move.drops_out && may_overlap(move.in, move.out);
}

}  // namespace

int run_move(Communicator& comm, const runtime::CachedPlan& plan, const Move& move) {
  ByteBuffer in(move.in, needs_copy(move, plan));
  ByteBuffer out(move.out, move.drops_out);
  Elements elements;
  elements.buffers.layout = byte_layout();
  input(elements.buffers) = in.address();
  output(elements.buffers) = out.address();
  elements.bytes = move.block;
  elements.copied = in.copied() + out.copied();
  int code = in.load(comm.self());
  if (code != MPI_SUCCESS) return code;
  code = run(comm, plan, move.operation, elements);
  leave_if_failed(comm, code, in, out);
  return code != MPI_SUCCESS || move.drops_out ? code : out.store(comm.self());
}

Outcome move(Communicator& comm, const LocalCall& call) {
  if (call.operation == Operation::Gather) return gather(comm, call);
  if (call.operation == Operation::Scatter) return scatter(comm, call);
  const auto exchange = exchange_of(comm, call);
  if (!exchange) return native(comm, call.operation, Reason::Arguments);
  return plan_and_run(comm, *exchange);
}

Outcome start_move(Communicator& comm, Move move, std::unique_ptr<PendingCall> pending,
                   const Starting& how, std::function<int()> end) {
  for (UserData* const data : {&move.in, &move.out}) {
    data->layout = kept_layout(data->layout, pending->types);
  }
  struct Buffers {
    ByteBuffer in, out;
  };
  const auto buffers = std::make_shared<Buffers>(Buffers{
      ByteBuffer(move.in, needs_copy(move, *pending->plan)), ByteBuffer(move.out, move.drops_out)});
  pending->elements.buffers.layout = byte_layout();
  input(pending->elements.buffers) = buffers->in.address();
  output(pending->elements.buffers) = buffers->out.address();
  const SelfLane self = pending->self();
  pending->loads.emplace_back([buffers, self] { return buffers->in.load(self); });
  pending->end = [buffers, drops_out = move.drops_out, self, then = std::move(end)] {
    const int code = drops_out ? MPI_SUCCESS : buffers->out.store(self);
    return code == MPI_SUCCESS && then ? then() : code;
  };
  return start(comm, move.operation, std::move(pending), how);
}

Outcome start_exchange(Communicator& comm, const LocalCall& call, const Starting& how) {
  if (call.operation == Operation::Gather) return start_gather(comm, call, how);
  if (call.operation == Operation::Scatter) return start_scatter(comm, call, how);
  const auto exchange = exchange_of(comm, call);
  auto pending = exchange ? plan_pending(comm, how, *exchange) : nullptr;
  if (pending == nullptr) return native_pending();
  return start_move(comm, *exchange, std::move(pending), how);
}

}  // namespace espalier::mpi
