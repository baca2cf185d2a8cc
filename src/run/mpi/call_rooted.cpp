// Gather and scatter of equal blocks, and roots whose own two blocks differ in length.
#include <algorithm>

#include "mpi/move.hpp"
#include "mpi/staging.hpp"

namespace espalier::mpi {

using runtime::Reason;
using schedule::Operation;

namespace {

/// The plan is found without asking whether the call is in place: only one rank knows, and the
/// others run the plan all the same.
Outcome wrong_at_root(Communicator& comm, const Move& move) {
  const Planned planned = plan_call(comm, {move.operation, move.root, move.block});
  if (!planned) return planned.outcome;
  leave_call(comm);
  return native(comm, move.operation, Reason::Arguments);
}

/// The others send as much as this root does, which receives something else from each. As MPI
/// libraries do: shorter blocks are taken, longer ones are an error once all is over.
int gather_unequal(Communicator& comm, const runtime::CachedPlan& plan, Move call,
                   std::int64_t recv_count) {
  const UserData wanted = call.out;
  const auto blocks = static_cast<std::uint64_t>(comm.size());
  ElementMemory came(byte_layout(), call.block * blocks);
  call.out = {came.address(), call.block * blocks, byte_layout()};
  int code = run_move(comm, plan, call);
  leave_if_failed(comm, code, came);
  for (int r = 0; r < comm.size() && code == MPI_SUCCESS; ++r) {
    const UserData room = block_of(wanted, r, recv_count);
    const std::byte* block = came.address() + static_cast<std::uint64_t>(r) * call.block;
    code =
        call.block > room.bytes()
            ? MPI_ERR_TRUNCATE
            : unpack(room.layout, room.address,
                     call.block / static_cast<std::uint64_t>(room.layout.size), block, comm.self());
  }
  return code;
}

/// The others receive as much as this root does, which sends something else to each. More is an
/// error and not sent. Less is sent with zeros behind it: MPI libraries leave those bytes as they
/// are, but how many there are only this root knows.
int scatter_unequal(Communicator& comm, const runtime::CachedPlan& plan, Move call,
                    std::int64_t send_count) {
  const UserData given = call.in;
  const std::uint64_t length = block_of(given, 0, send_count).bytes();
  const auto blocks = static_cast<std::uint64_t>(comm.size());
  ElementMemory padded(byte_layout(), length > call.block ? 0 : call.block * blocks);
  std::fill_n(padded.address(), padded.size(), std::byte{0});
  int code = length > call.block ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  for (int r = 0; r < comm.size() && code == MPI_SUCCESS; ++r) {
    const UserData block = block_of(given, r, send_count);
    code = pack(block.layout, block.address, block.count,
                padded.address() + static_cast<std::uint64_t>(r) * call.block, comm.self());
  }
  if (code != MPI_SUCCESS) {
    leave_call(comm);
    return code;
  }
  call.in = {padded.address(), call.block * blocks, byte_layout()};
  code = run_move(comm, plan, call);
  leave_if_failed(comm, code, padded);
  return code;
}

}  // namespace

Outcome gather(Communicator& comm, const LocalCall& call) {
  const bool is_root = comm.rank() == call.root;
  const bool in_place = is_root && call.send.is_in_place();
  const bool receives = !is_root || may_be_data(call.recv);
  if (!is_rank(call.root, comm.size()) || (in_place && !receives) ||
      (!in_place && !may_be_data(call.send))) {
    return native(comm, call.operation, Reason::Arguments);
  }
  Move move{call.operation, static_cast<Rank>(call.root)};
  if (!in_place) move.in = blocks_at(call.send, 1);
  move.block = move.in.bytes();
  if (!is_root) return plan_and_run(comm, move);
  if (!receives) return wrong_at_root(comm, move);
  move.out = blocks_at(call.recv, comm.size());
  const UserData own = block_of(move.out, call.root, call.recv.count);
  const std::uint64_t before = static_cast<std::uint64_t>(call.root) * own.bytes();
  if (is_refused_alias(call.send, call.recv, before)) return wrong_at_root(comm, move);
  if (in_place) move.block = own.bytes(), move.in = own;
  move.in_place = in_place;
  if (own.bytes() == move.block) return plan_and_run(comm, move);
  const Planned planned = plan_move(comm, move);
  if (!planned) return planned.outcome;
  return planned.ended(comm, gather_unequal(comm, *planned.plan, move, call.recv.count));
}

Outcome scatter(Communicator& comm, const LocalCall& call) {
  const bool is_root = comm.rank() == call.root;
  const bool in_place = is_root && call.recv.is_in_place();
  const bool sends = !is_root || may_be_data(call.send);
  if (!is_rank(call.root, comm.size()) || (in_place && !sends) ||
      (!in_place && !may_be_data(call.recv))) {
    return native(comm, call.operation, Reason::Arguments);
  }
  Move move{call.operation, static_cast<Rank>(call.root)};
  if (!in_place) move.out = blocks_at(call.recv, 1);
  move.block = move.out.bytes();
  if (!is_root) return plan_and_run(comm, move);
  if (!sends) return wrong_at_root(comm, move);
  move.in = blocks_at(call.send, comm.size());
  const UserData own = block_of(move.in, call.root, call.send.count);
  const std::uint64_t before = static_cast<std::uint64_t>(call.root) * own.bytes();
  if (is_refused_alias(call.recv, call.send, before)) return wrong_at_root(comm, move);
  if (in_place) move.block = own.bytes(), move.out = {nullptr, move.block, byte_layout()};
  move.drops_out = in_place;
  if (own.bytes() == move.block) return plan_and_run(comm, move);
  const Planned planned = plan_move(comm, move);
  if (!planned) return planned.outcome;
  return planned.ended(comm, scatter_unequal(comm, *planned.plan, move, call.send.count));
}

}  // namespace espalier::mpi
