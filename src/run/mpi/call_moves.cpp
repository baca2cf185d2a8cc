// Allgather and alltoall of equal blocks, and what gather and scatter (call_rooted.cpp) share with
// them. Ranks may describe one block by different types, so blocks are planned in bytes: those that
// a rank's own significant arguments come to, which the standard wants to be the same everywhere.
#include "mpi/calls.hpp"
#include "mpi/move.hpp"
#include "mpi/staging.hpp"

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

/// The user's elements as bytes side by side: where they lie if they are dense, else in a copy.
/// @param apart make a copy in any case
std::byte* dense_bytes(const UserData& data, bool apart, Staged& staged) {
  if (data.bytes() == 0) return nullptr;
  const bool is_there = data.layout.dense && !apart;
  return is_there ? data.address + data.layout.true_lb
                  : staged.add_memory(byte_layout(), data.bytes());
}

void stage_move(const Move& move, const runtime::CachedPlan& plan, const SelfLane& self,
                ElementBuffers& buffers, Staged& staged) {
  buffers.layout = byte_layout();
  const bool copies = needs_copy(move, plan);
  std::byte* const in = input(buffers) = dense_bytes(move.in, copies, staged);
  std::byte* const out = output(buffers) = dense_bytes(move.out, move.drops_out, staged);
  if (in != nullptr && (copies || !move.in.layout.dense)) {
    staged.loads.emplace_back([from = move.in, in, self] {
      return pack(from.layout, from.address, from.count, in, self);
    });
  }
  if (out != nullptr && !move.drops_out && !move.out.layout.dense) {
    staged.end = [to = move.out, out, self] {
      return unpack(to.layout, to.address, to.count, out, self);
    };
  }
}

}  // namespace

int run_move(Communicator& comm, const runtime::CachedPlan& plan, const Move& move, Staged staged) {
  for (const UserData* const data : {&move.in, &move.out}) {
    if (data->count > 0 && !is_committed(data->layout, comm.hidden().self())) {
      return leave_untyped(comm, plan);
    }
  }
  Elements elements;
  elements.bytes = move.block;
  stage_move(move, plan, comm.hidden().self(), elements.buffers, staged);
  return run(comm, plan, move.operation, elements, staged);
}

Outcome move(Communicator& comm, const LocalCall& call) {
  if (has_root(call.operation)) return move_rooted(comm, call);
  const auto exchange = exchange_of(comm, call);
  if (!exchange) return native(comm, call.operation, Reason::Arguments);
  const Planned planned = plan_move(comm, *exchange);
  if (!planned) return planned.outcome;
  return planned.ended(comm, run_move(comm, *planned.plan, *exchange));
}

void keep_types(Move& move, PendingCall& pending) {
  for (UserData* const data : {&move.in, &move.out}) {
    data->layout = kept_layout(data->layout, pending.types);
  }
}

Outcome start_move(Communicator& comm, const Move& move, std::unique_ptr<PendingCall> pending,
                   const Starting& how) {
  stage_move(move, *pending->plan, pending->self(), pending->elements.buffers, *pending);
  return start(comm, move.operation, std::move(pending), how);
}

Outcome start_exchange(Communicator& comm, const LocalCall& call, const Starting& how) {
  if (has_root(call.operation)) return start_rooted(comm, call, how);
  auto exchange = exchange_of(comm, call);
  auto pending = exchange ? plan_pending(comm, how, *exchange) : nullptr;
  if (pending == nullptr) return native_pending();
  keep_types(*exchange, *pending);
  return start_move(comm, *exchange, std::move(pending), how);
}

}  // namespace espalier::mpi
