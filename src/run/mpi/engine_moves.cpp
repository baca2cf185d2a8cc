// Allgather and alltoall of equal blocks, and what gather and scatter (engine_rooted.cpp) share
// with them. Ranks may describe one block by different types, so blocks are planned in bytes: those
// that a rank's own significant arguments come to, which the standard wants to be the same
// everywhere.
#include "mpi/move.hpp"

namespace espalier::mpi {

using runtime::CachedPlan;
using runtime::Reason;
using schedule::Buffer;
using schedule::Operation;

namespace {

/// Whether bytes of the one may lie among those of the other.
bool may_overlap(const UserData& a, const UserData& b) {
  if (a.bytes() == 0 || b.bytes() == 0) return false;
  const std::byte* const first = a.address + a.layout.lowest(a.count);
  const std::byte* const second = b.address + b.layout.lowest(b.count);
  return first < second + b.layout.span(b.count) && second < first + a.layout.span(a.count);
}

}  // namespace

bool Engine::move(Communicator& comm, const Move& move, int& code) {
  const bool joined = move.in_place && move.out.layout.dense;
  const CachedPlan* found =
      plan(comm, {move.operation, move.root, move.block, 1, true, joined, false, {}});
  if (found == nullptr) return false;
  const bool in_apart = move.in_place ? !joined || found->needs_input_copy
                                      : !move.drops_out && may_overlap(move.in, move.out);
  ByteBuffer in(move.in, in_apart);
  ByteBuffer out(move.out, move.drops_out);
  Execution execution;
  execution.buffers.layout = byte_layout();
  execution.buffers.base[static_cast<std::size_t>(Buffer::In)] = in.address();
  execution.buffers.base[static_cast<std::size_t>(Buffer::Out)] = out.address();
  code = in.load(comm.self());
  Call call{move.operation, move.block, in.copied() + out.copied()};
  if (code == MPI_SUCCESS) {
    run(comm, *found, execution, call, code);
    if (code != MPI_SUCCESS) {
      leave(comm, in);
      leave(comm, out);
    }
    if (code != MPI_SUCCESS || move.drops_out) return true;
    code = out.store(comm.self());
  }
  if (code != MPI_SUCCESS) failed(comm);
  return true;
}

bool Engine::allgather(const void* send, std::int64_t send_count, MPI_Datatype send_type,
                       void* recv, std::int64_t recv_count, MPI_Datatype recv_type, MPI_Comm handle,
                       int& code) {
  Communicator* comm = enter(handle);
  if (comm == nullptr) return false;
  if (comm->never()) return native(comm, Operation::Allgather, *comm->never());
  const bool in_place = send == MPI_IN_PLACE;
  if (!may_be_data(recv, recv_count, recv_type) ||
      (!in_place && !may_be_data(send, send_count, send_type))) {
    return native(comm, Operation::Allgather, Reason::Arguments);
  }
  Move call{Operation::Allgather};
  call.out = blocks_at(recv, recv_count, comm->size(), recv_type);
  const UserData own = block_of(call.out, comm->rank(), recv_count);
  call.in = in_place ? own : blocks_at(send, send_count, 1, send_type);
  call.block = own.bytes();
  call.in_place = in_place;
  if (call.in.bytes() != call.block ||
      is_refused_alias({send, send_count, send_type}, {recv, recv_count, recv_type}, comm->rank(),
                       call.block)) {
    return native(comm, Operation::Allgather, Reason::Arguments);
  }
  return move(*comm, call, code);
}

bool Engine::alltoall(const void* send, std::int64_t send_count, MPI_Datatype send_type, void* recv,
                      std::int64_t recv_count, MPI_Datatype recv_type, MPI_Comm handle, int& code) {
  Communicator* comm = enter(handle);
  if (comm == nullptr) return false;
  if (comm->never()) return native(comm, Operation::Alltoall, *comm->never());
  const bool in_place = send == MPI_IN_PLACE;
  if (!may_be_data(recv, recv_count, recv_type) ||
      (!in_place && !may_be_data(send, send_count, send_type)) ||
      is_refused_alias({send, send_count, send_type}, {recv, recv_count, recv_type}, 0, 0)) {
    return native(comm, Operation::Alltoall, Reason::Arguments);
  }
  Move call{Operation::Alltoall};
  call.out = blocks_at(recv, recv_count, comm->size(), recv_type);
  call.in = in_place ? call.out : blocks_at(send, send_count, comm->size(), send_type);
  call.block = call.out.bytes() / static_cast<std::uint64_t>(comm->size());
  call.in_place = in_place;
  if (call.in.bytes() != call.out.bytes()) {
    return native(comm, Operation::Alltoall, Reason::Arguments);
  }
  return move(*comm, call, code);
}

}  // namespace espalier::mpi
