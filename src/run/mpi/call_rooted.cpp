// Gather and scatter of equal blocks, and roots whose own two blocks differ in length.
#include <algorithm>
#include <utility>

#include "mpi/move.hpp"
#include "mpi/staging.hpp"

namespace espalier::mpi {

using runtime::Reason;
using schedule::Operation;

namespace {

/// Copies blocks that have come, one behind the other, to where the user wants them.
int take_blocks(int blocks, const UserData& wanted, std::int64_t count, std::uint64_t length,
                const std::byte* came, const SelfLane& self) {
  int code = MPI_SUCCESS;
  for (int r = 0; r < blocks && code == MPI_SUCCESS; ++r) {
    const UserData room = block_of(wanted, r, count);
    const std::byte* block = came + static_cast<std::uint64_t>(r) * length;
    code = length > room.bytes()
               ? MPI_ERR_TRUNCATE
               : unpack(room.layout, room.address,
                        length / static_cast<std::uint64_t>(room.layout.size), block, self);
  }
  return code;
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

/// A scatter's root would send more than the others receive: an error, and nothing is sent.
bool is_too_long(const Move& move, std::int64_t count) {
  return move.operation == Operation::Scatter && block_of(move.in, 0, count).bytes() > move.block;
}

/// The others send or receive as much as this root says of its own block, but it receives something
/// else from each, or has something else for each. Of a gather shorter blocks are taken, as MPI
/// libraries do, and longer ones are an error once all is over. Of a scatter shorter ones are sent
/// with zeros behind them: MPI libraries leave those bytes as they are, but how many there are only
/// this root knows.
/// @param count elements of each of the root's blocks
void stage_unequal(int blocks, std::int64_t count, const SelfLane& self, Move& move,
                   Staged& staged) {
  const std::uint64_t length = move.block, bytes = length * static_cast<std::uint64_t>(blocks);
  std::byte* const apart = staged.add_memory(byte_layout(), bytes);
  const bool gathers = move.operation == Operation::Gather;
  const UserData users =
      std::exchange(gathers ? move.out : move.in, UserData{apart, bytes, byte_layout()});
  if (gathers) {
    staged.end = [=] { return take_blocks(blocks, users, count, length, apart, self); };
  } else {
    staged.loads.emplace_back(
        [=] { return pad_blocks(blocks, users, count, length, apart, self); });
  }
}

/// How gathers and scatters run that block.
struct BlockingMoves {
  Communicator& comm;

  [[nodiscard]] Outcome native(Operation operation) const {
    return mpi::native(comm, operation, Reason::Arguments);
  }
  /// The plan is found without asking whether the call is in place: only one rank knows, and the
  /// others run the plan all the same.
  [[nodiscard]] Outcome wrong_at_root(const Move& move) const {
    const Planned planned = plan_call(comm, {move.operation, move.root, move.block});
    if (!planned) return planned.outcome;
    leave_call(comm, *planned.plan);
    return native(move.operation);
  }
  [[nodiscard]] Outcome run(const Move& move) const {
    const Planned planned = plan_move(comm, move);
    return planned ? planned.ended(comm, run_move(comm, *planned.plan, move)) : planned.outcome;
  }
  [[nodiscard]] Outcome run_unequal(Move move, std::int64_t count) const {
    const Planned planned = plan_move(comm, move);
    if (!planned) return planned.outcome;
    if (is_too_long(move, count)) {
      leave_call(comm, *planned.plan);
      return planned.ended(comm, MPI_ERR_TRUNCATE);
    }
    Staged staged;
    stage_unequal(comm.size(), count, comm.hidden().self(), move, staged);
    return planned.ended(comm, run_move(comm, *planned.plan, move, std::move(staged)));
  }
};

/// How those run that do not.
struct PendingMoves {
  Communicator& comm;
  Starting how;

  [[nodiscard]] static Outcome native(Operation /*operation*/) { return native_pending(); }
  [[nodiscard]] Outcome wrong_at_root(const Move& move) const {
    const runtime::SharedCall shared{move.operation, move.root, move.block};
    if (plan_pending(comm, how, shared) != nullptr && !how.is_persistent) comm.starts().skip();
    return native_pending();
  }
  [[nodiscard]] Outcome run(Move move, std::optional<std::int64_t> unequal = {}) const {
    auto pending = plan_pending(comm, how, move);
    if (pending == nullptr) return native_pending();
    if (unequal && is_too_long(move, *unequal)) {
      if (!how.is_persistent) comm.starts().skip();
      return {.planned = true, .code = MPI_ERR_TRUNCATE};
    }
    keep_types(move, *pending);
    if (unequal) stage_unequal(comm.size(), *unequal, pending->self(), move, *pending);
    return start_move(comm, move, std::move(pending), how);
  }
  [[nodiscard]] Outcome run_unequal(const Move& move, std::int64_t count) const {
    return run(move, count);
  }
};

/// Each rank has one block, and the root has all of them at its other side.
template <typename Moves>
Outcome rooted_by(const Moves& moves, const LocalCall& call) {
  const Communicator& comm = moves.comm;
  const bool gathers = call.operation == Operation::Gather;
  const Side& one = gathers ? call.send : call.recv;
  const Side& all = gathers ? call.recv : call.send;
  const bool is_root = comm.rank() == call.root;
  const bool in_place = is_root && one.is_in_place();
  const bool has_all = !is_root || may_be_data(all);
  if (!is_rank(call.root, comm.size()) || (in_place && !has_all) ||
      (!in_place && !may_be_data(one))) {
    return moves.native(call.operation);
  }
  Move move{call.operation, static_cast<Rank>(call.root)};
  UserData& block = gathers ? move.in : move.out;
  UserData& blocks = gathers ? move.out : move.in;
  if (!in_place) block = blocks_at(one, 1);
  move.block = block.bytes();
  if (!is_root) return moves.run(move);
  if (!has_all) return moves.wrong_at_root(move);
  blocks = blocks_at(all, comm.size());
  const UserData own = block_of(blocks, call.root, all.count);
  const std::uint64_t before = static_cast<std::uint64_t>(call.root) * own.bytes();
  if (is_refused_alias(one, all, before)) return moves.wrong_at_root(move);
  if (in_place) {
    move.block = own.bytes();
    block = gathers ? own : UserData{nullptr, move.block, byte_layout()};
    (gathers ? move.in_place : move.drops_out) = true;
  }
  return own.bytes() == move.block ? moves.run(move) : moves.run_unequal(move, all.count);
}

}  // namespace

Outcome move_rooted(Communicator& comm, const LocalCall& call) {
  return rooted_by(BlockingMoves{comm}, call);
}
Outcome start_rooted(Communicator& comm, const LocalCall& call, const Starting& how) {
  return rooted_by(PendingMoves{comm, how}, call);
}

}  // namespace espalier::mpi
