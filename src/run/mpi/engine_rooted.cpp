// Gather and scatter of equal blocks. A root may be wrong where the others are right: they run the
// plan. So the root finds the plan too, by what its own block tells, before it looks at the rest;
// if that is wrong the MPI library says so, and the number of the call is used up, in step with
// them.
#include <algorithm>

#include "mpi/move.hpp"
#include "mpi/staging.hpp"

namespace espalier::mpi {

using runtime::Reason;
using schedule::Operation;

/// The key leaves out whether the call is in place: only one rank knows, and the plan is the same.
runtime::PlanKey Engine::key_of(const Move& move) {
  return {move.operation, move.root, move.block, 1, true, false, false, {}};
}

bool Engine::wrong_at_root(Communicator& comm, const Move& move) {
  if (plan(comm, key_of(move)) == nullptr) return false;
  leave_call(comm);
  return native(&comm, move.operation, Reason::Arguments);
}

bool Engine::gather(const void* send, std::int64_t send_count, MPI_Datatype send_type, void* recv,
                    std::int64_t recv_count, MPI_Datatype recv_type, int root, MPI_Comm handle,
                    int& code) {
  Communicator* comm = enter(handle);
  if (comm == nullptr) return false;
  if (comm->never()) return native(comm, Operation::Gather, *comm->never());
  const bool is_root = comm->rank() == root;
  const bool in_place = is_root && send == MPI_IN_PLACE;
  const bool receives = !is_root || may_be_data(recv, recv_count, recv_type);
  if (root < 0 || root >= comm->size() || (in_place && !receives) ||
      (!in_place && !may_be_data(send, send_count, send_type))) {
    return native(comm, Operation::Gather, Reason::Arguments);
  }
  Move call{Operation::Gather, static_cast<Rank>(root)};
  if (!in_place) call.in = blocks_at(send, send_count, 1, send_type);
  call.block = call.in.bytes();
  if (!is_root) return move(*comm, call, code);
  if (!receives) return wrong_at_root(*comm, call);
  call.out = blocks_at(recv, recv_count, comm->size(), recv_type);
  const UserData own = block_of(call.out, root, recv_count);
  if (is_refused_alias({send, send_count, send_type}, {recv, recv_count, recv_type}, root,
                       own.bytes())) {
    return wrong_at_root(*comm, call);
  }
  if (in_place) call.block = own.bytes(), call.in = own;
  call.in_place = in_place;
  return own.bytes() == call.block ? move(*comm, call, code)
                                   : gather_unequal(*comm, call, recv_count, code);
}

/// The others send as much as this root does, which receives something else from each. As MPI
/// libraries do: shorter blocks are taken, longer ones are an error once all is over.
bool Engine::gather_unequal(Communicator& comm, Move& call, std::int64_t recv_count, int& code) {
  const UserData wanted = call.out;
  const auto blocks = static_cast<std::uint64_t>(comm.size());
  ElementMemory came(byte_layout(), call.block * blocks);
  call.out = {came.address(), call.block * blocks, byte_layout()};
  if (!move(comm, call, code)) return false;
  if (code != MPI_SUCCESS) leave(comm, came);
  if (code != MPI_SUCCESS) return true;
  for (int r = 0; r < comm.size() && code == MPI_SUCCESS; ++r) {
    const UserData room = block_of(wanted, r, recv_count);
    const std::byte* block = came.address() + static_cast<std::uint64_t>(r) * call.block;
    code =
        call.block > room.bytes()
            ? MPI_ERR_TRUNCATE
            : unpack(room.layout, room.address,
                     call.block / static_cast<std::uint64_t>(room.layout.size), block, comm.self());
  }
  if (code != MPI_SUCCESS) failed(comm);
  return true;
}

bool Engine::scatter(const void* send, std::int64_t send_count, MPI_Datatype send_type, void* recv,
                     std::int64_t recv_count, MPI_Datatype recv_type, int root, MPI_Comm handle,
                     int& code) {
  Communicator* comm = enter(handle);
  if (comm == nullptr) return false;
  if (comm->never()) return native(comm, Operation::Scatter, *comm->never());
  const bool is_root = comm->rank() == root;
  const bool in_place = is_root && recv == MPI_IN_PLACE;
  const bool sends = !is_root || may_be_data(send, send_count, send_type);
  if (root < 0 || root >= comm->size() || (in_place && !sends) ||
      (!in_place && !may_be_data(recv, recv_count, recv_type))) {
    return native(comm, Operation::Scatter, Reason::Arguments);
  }
  Move call{Operation::Scatter, static_cast<Rank>(root)};
  if (!in_place) call.out = blocks_at(recv, recv_count, 1, recv_type);
  call.block = call.out.bytes();
  if (!is_root) return move(*comm, call, code);
  if (!sends) return wrong_at_root(*comm, call);
  call.in = blocks_at(send, send_count, comm->size(), send_type);
  const UserData own = block_of(call.in, root, send_count);
  if (is_refused_alias({recv, recv_count, recv_type}, {send, send_count, send_type}, root,
                       own.bytes())) {
    return wrong_at_root(*comm, call);
  }
  if (in_place) call.block = own.bytes(), call.out = {nullptr, call.block, byte_layout()};
  call.drops_out = in_place;
  return own.bytes() == call.block ? move(*comm, call, code)
                                   : scatter_unequal(*comm, call, send_count, code);
}

/// The others receive as much as this root does, which sends something else to each. More is an
/// error and not sent. Less is sent with zeros behind it: MPI
/// libraries leave those bytes as they are, but how many there are only this root knows.
bool Engine::scatter_unequal(Communicator& comm, Move& call, std::int64_t send_count, int& code) {
  if (plan(comm, key_of(call)) == nullptr) return false;
  const UserData given = call.in;
  const std::uint64_t length = block_of(given, 0, send_count).bytes();
  const auto blocks = static_cast<std::uint64_t>(comm.size());
  ElementMemory padded(byte_layout(), length > call.block ? 0 : call.block * blocks);
  std::fill_n(padded.address(), padded.size(), std::byte{0});
  code = length > call.block ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  for (int r = 0; r < comm.size() && code == MPI_SUCCESS; ++r) {
    const UserData block = block_of(given, r, send_count);
    code = pack(block.layout, block.address, block.count,
                padded.address() + static_cast<std::uint64_t>(r) * call.block, comm.self());
  }
  if (code != MPI_SUCCESS) {
    leave_call(comm);
    failed(comm);
    return true;
  }
  call.in = {padded.address(), call.block * blocks, byte_layout()};
  const bool is_planned = move(comm, call, code);
  if (code != MPI_SUCCESS) leave(comm, padded);
  return is_planned;
}

}  // namespace espalier::mpi
