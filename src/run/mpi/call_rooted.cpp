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
  leave_call(comm, *planned.plan);
  return native(comm, move.operation, Reason::Arguments);
}

/// Blocks that have come, one behind the other, and where the user wants them.
struct Arrived {
  UserData wanted;
  std::int64_t count = 0;   // elements of each block that the user wants
  std::uint64_t block = 0;  // bytes of each block that came
  const std::byte* came = nullptr;
  int blocks = 0;
  SelfLane self;
};

int take_blocks(const Arrived& arrived) {
  int code = MPI_SUCCESS;
  for (int r = 0; r < arrived.blocks && code == MPI_SUCCESS; ++r) {
    const UserData room = block_of(arrived.wanted, r, arrived.count);
    const std::byte* block = arrived.came + static_cast<std::uint64_t>(r) * arrived.block;
    code = arrived.block > room.bytes()
               ? MPI_ERR_TRUNCATE
               : unpack(room.layout, room.address,
                        arrived.block / static_cast<std::uint64_t>(room.layout.size), block,
                        arrived.self);
  }
  return code;
}

/// The others send as much as this root does, which receives something else from each. As MPI
/// libraries do: shorter blocks are taken, longer ones are an error once all is over.
int gather_unequal(Communicator& comm, const runtime::CachedPlan& plan, Move call,
                   std::int64_t recv_count) {
  const UserData wanted = call.out;
  const auto blocks = static_cast<std::uint64_t>(comm.size());
  ElementMemory came(byte_layout(), call.block * blocks);
  call.out = {came.address(), call.block * blocks, byte_layout()};
  const int code = run_move(comm, plan, call);
  leave_if_failed(comm, code, came);
  if (code != MPI_SUCCESS) return code;
  return take_blocks({wanted, recv_count, call.block, came.address(), comm.size(), comm.self()});
}

Outcome start_gather_unequal(Communicator& comm, Move call, std::int64_t recv_count,
                             std::unique_ptr<PendingCall> pending, const Starting& how) {
  UserData wanted = call.out;
  wanted.layout = kept_layout(wanted.layout, pending->types);
  const std::uint64_t bytes = call.block * static_cast<std::uint64_t>(comm.size());
  std::byte* const came = pending->add_memory(byte_layout(), bytes);
  call.out = {came, bytes, byte_layout()};
  const Arrived arrived{wanted, recv_count, call.block, came, comm.size(), pending->self()};
  return start_move(comm, call, std::move(pending), how,
                    [arrived] { return take_blocks(arrived); });
}

/// Copies blocks to places of `length` bytes each, with zeros behind what is shorter.
int pad_blocks(int blocks, const UserData& given, std::int64_t count, std::uint64_t length,
               std::byte* padded, const SelfLane& self) {
  std::fill_n(padded, length * static_cast<std::uint64_t>(blocks), std::byte{0});
  int code = MPI_SUCCESS;
  for (int r = 0; r < blocks && code == MPI_SUCCESS; ++r) {
    const UserData block = block_of(given, r, count);
    code = pack(block.layout, block.address, block.count,
                padded + static_cast<std::uint64_t>(r) * length, self);
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
  int code = length > call.block ? MPI_ERR_TRUNCATE
                                 : pad_blocks(comm.size(), given, send_count, call.block,
                                              padded.address(), comm.self());
  if (code != MPI_SUCCESS) {
    leave_call(comm, plan);
    return code;
  }
  call.in = {padded.address(), call.block * blocks, byte_layout()};
  code = run_move(comm, plan, call);
  leave_if_failed(comm, code, padded);
  return code;
}

Outcome start_scatter_unequal(Communicator& comm, Move call, std::int64_t send_count,
                              std::unique_ptr<PendingCall> pending, const Starting& how) {
  if (block_of(call.in, 0, send_count).bytes() > call.block) {
    if (!how.is_persistent) comm.skip_pending();
    return {.planned = true, .code = MPI_ERR_TRUNCATE};
  }
  UserData given = call.in;
  given.layout = kept_layout(given.layout, pending->types);
  const std::uint64_t bytes = call.block * static_cast<std::uint64_t>(comm.size());
  std::byte* const padded = pending->add_memory(byte_layout(), bytes);
  pending->loads.emplace_back([blocks = comm.size(), given, send_count, length = call.block, padded,
                               self = pending->self()] {
    return pad_blocks(blocks, given, send_count, length, padded, self);
  });
  call.in = {padded, bytes, byte_layout()};
  return start_move(comm, call, std::move(pending), how);
}

/// How gathers and scatters run that block.
struct BlockingMoves {
  Communicator& comm;

  [[nodiscard]] Outcome native(Operation operation) const {
    return mpi::native(comm, operation, Reason::Arguments);
  }
  [[nodiscard]] Outcome wrong_at_root(const Move& move) const {
    return mpi::wrong_at_root(comm, move);
  }
  [[nodiscard]] Outcome run(const Move& move) const { return plan_and_run(comm, move); }
  [[nodiscard]] Outcome run_unequal(const Move& move, std::int64_t count) const {
    const Planned planned = plan_move(comm, move);
    if (!planned) return planned.outcome;
    const auto unequal = move.operation == Operation::Gather ? gather_unequal : scatter_unequal;
    return planned.ended(comm, unequal(comm, *planned.plan, move, count));
  }
};

/// How those run that do not.
struct PendingMoves {
  Communicator& comm;
  Starting how;

  [[nodiscard]] static Outcome native(Operation /*operation*/) { return native_pending(); }
  [[nodiscard]] Outcome wrong_at_root(const Move& move) const {
    const runtime::SharedCall shared{move.operation, move.root, move.block};
    if (plan_pending(comm, how, shared) != nullptr && !how.is_persistent) comm.skip_pending();
    return native_pending();
  }
  [[nodiscard]] Outcome run(const Move& move) const {
    auto pending = plan_pending(comm, how, move);
    if (pending == nullptr) return native_pending();
    return start_move(comm, move, std::move(pending), how);
  }
  [[nodiscard]] Outcome run_unequal(const Move& move, std::int64_t count) const {
    auto pending = plan_pending(comm, how, move);
    if (pending == nullptr) return native_pending();
    return move.operation == Operation::Gather
               ? start_gather_unequal(comm, move, count, std::move(pending), how)
               : start_scatter_unequal(comm, move, count, std::move(pending), how);
  }
};

template <typename Moves>
Outcome gather_by(const Moves& moves, const LocalCall& call) {
  const Communicator& comm = moves.comm;
  const bool is_root = comm.rank() == call.root;
  const bool in_place = is_root && call.send.is_in_place();
  const bool receives = !is_root || may_be_data(call.recv);
  if (!is_rank(call.root, comm.size()) || (in_place && !receives) ||
      (!in_place && !may_be_data(call.send))) {
    return moves.native(call.operation);
  }
  Move move{call.operation, static_cast<Rank>(call.root)};
  if (!in_place) move.in = blocks_at(call.send, 1);
  move.block = move.in.bytes();
  if (!is_root) return moves.run(move);
  if (!receives) return moves.wrong_at_root(move);
  move.out = blocks_at(call.recv, comm.size());
  const UserData own = block_of(move.out, call.root, call.recv.count);
  const std::uint64_t before = static_cast<std::uint64_t>(call.root) * own.bytes();
  if (is_refused_alias(call.send, call.recv, before)) return moves.wrong_at_root(move);
  if (in_place) move.block = own.bytes(), move.in = own;
  move.in_place = in_place;
  if (own.bytes() == move.block) return moves.run(move);
  return moves.run_unequal(move, call.recv.count);
}

template <typename Moves>
Outcome scatter_by(const Moves& moves, const LocalCall& call) {
  const Communicator& comm = moves.comm;
  const bool is_root = comm.rank() == call.root;
  const bool in_place = is_root && call.recv.is_in_place();
  const bool sends = !is_root || may_be_data(call.send);
  if (!is_rank(call.root, comm.size()) || (in_place && !sends) ||
      (!in_place && !may_be_data(call.recv))) {
    return moves.native(call.operation);
  }
  Move move{call.operation, static_cast<Rank>(call.root)};
  if (!in_place) move.out = blocks_at(call.recv, 1);
  move.block = move.out.bytes();
  if (!is_root) return moves.run(move);
  if (!sends) return moves.wrong_at_root(move);
  move.in = blocks_at(call.send, comm.size());
  const UserData own = block_of(move.in, call.root, call.send.count);
  const std::uint64_t before = static_cast<std::uint64_t>(call.root) * own.bytes();
  if (is_refused_alias(call.recv, call.send, before)) return moves.wrong_at_root(move);
  if (in_place) move.block = own.bytes(), move.out = {nullptr, move.block, byte_layout()};
  move.drops_out = in_place;
  if (own.bytes() == move.block) return moves.run(move);
  return moves.run_unequal(move, call.send.count);
}

}  // namespace

Outcome gather(Communicator& comm, const LocalCall& call) {
  return gather_by(BlockingMoves{comm}, call);
}
Outcome scatter(Communicator& comm, const LocalCall& call) {
  return scatter_by(BlockingMoves{comm}, call);
}
Outcome start_gather(Communicator& comm, const LocalCall& call, const Starting& how) {
  return gather_by(PendingMoves{comm, how}, call);
}
Outcome start_scatter(Communicator& comm, const LocalCall& call, const Starting& how) {
  return scatter_by(PendingMoves{comm, how}, call);
}

}  // namespace espalier::mpi
