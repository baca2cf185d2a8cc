// Gather, scatter, allgather and alltoall of equal blocks. Ranks may describe one block by
// different types, so blocks are planned in bytes: those that a rank's own significant arguments
// come to, which the standard wants to be the same everywhere.
#include "mpi/arguments.hpp"
#include "mpi/byte_buffer.hpp"
#include "mpi/engine.hpp"

namespace espalier::mpi {

using runtime::CachedPlan;
using runtime::Reason;
using schedule::Buffer;
using schedule::Operation;

/// A call as this rank sees it. In place, `in` lies where its result goes in `out`.
struct Engine::Move {
  Operation operation;
  Rank root = 0;
  std::uint64_t block = 0;  ///< bytes
  UserData in = {};
  UserData out = {};
  bool in_place = false;
  bool drops_out = false;  ///< scatter's root in place: what is its own stays where it is
};

namespace {

UserData data_at(const void* address, std::uint64_t first, std::uint64_t count,
                 const Layout& layout) {
  return {bytes_at(address) + static_cast<std::int64_t>(first) * layout.extent, count, layout};
}

UserData blocks_at(const void* address, std::int64_t count, int blocks, MPI_Datatype type) {
  return {bytes_at(address), static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(blocks),
          layout_of(type)};
}

/// One of the blocks of `all`.
UserData block_of(const UserData& all, int block, std::int64_t count) {
  return data_at(all.address, static_cast<std::uint64_t>(block) * static_cast<std::uint64_t>(count),
                 static_cast<std::uint64_t>(count), all.layout);
}

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
  const ByteBuffer in(move.in, in_apart);
  const ByteBuffer out(move.out, move.drops_out);
  Execution execution;
  execution.buffers.layout = byte_layout();
  execution.buffers.base[static_cast<std::size_t>(Buffer::In)] = in.address();
  execution.buffers.base[static_cast<std::size_t>(Buffer::Out)] = out.address();
  code = in.load(comm.self());
  Call call{move.operation, move.block, in.copied() + out.copied()};
  if (code == MPI_SUCCESS) {
    run(comm, *found, execution, call, code);
    if (code != MPI_SUCCESS || move.drops_out) return true;
    code = out.store(comm.self());
  }
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm.comm(), code);
  return true;
}

bool Engine::gather(const void* send, std::int64_t send_count, MPI_Datatype send_type, void* recv,
                    std::int64_t recv_count, MPI_Datatype recv_type, int root, MPI_Comm handle,
                    int& code) {
  Communicator* comm = enter(handle);
  if (comm == nullptr) return false;
  if (comm->never()) return native(comm, Operation::Gather, *comm->never());
  const bool is_root = comm->rank() == root;
  const bool in_place = is_root && send == MPI_IN_PLACE;
  if (root < 0 || root >= comm->size() ||
      (!in_place && !may_be_data(send, send_count, send_type)) ||
      (is_root && !may_be_data(recv, recv_count, recv_type)) ||
      (kRefusesAliases && is_root && send == recv && send_count > 0)) {
    return native(comm, Operation::Gather, Reason::Arguments);
  }
  Move call{Operation::Gather, static_cast<Rank>(root)};
  if (!in_place) call.in = blocks_at(send, send_count, 1, send_type);
  call.block = call.in.bytes();
  if (is_root) {
    call.out = blocks_at(recv, recv_count, comm->size(), recv_type);
    const UserData own = block_of(call.out, root, recv_count);
    if (!in_place && own.bytes() != call.block) {
      return native(comm, Operation::Gather, Reason::Arguments);
    }
    call.block = own.bytes();
    call.in_place = in_place;
    if (in_place) call.in = own;
  }
  return move(*comm, call, code);
}

bool Engine::scatter(const void* send, std::int64_t send_count, MPI_Datatype send_type, void* recv,
                     std::int64_t recv_count, MPI_Datatype recv_type, int root, MPI_Comm handle,
                     int& code) {
  Communicator* comm = enter(handle);
  if (comm == nullptr) return false;
  if (comm->never()) return native(comm, Operation::Scatter, *comm->never());
  const bool is_root = comm->rank() == root;
  const bool in_place = is_root && recv == MPI_IN_PLACE;
  if (root < 0 || root >= comm->size() ||
      (!in_place && !may_be_data(recv, recv_count, recv_type)) ||
      (is_root && !may_be_data(send, send_count, send_type)) ||
      (kRefusesAliases && is_root && send == recv && recv_count > 0)) {
    return native(comm, Operation::Scatter, Reason::Arguments);
  }
  Move call{Operation::Scatter, static_cast<Rank>(root)};
  if (!in_place) call.out = blocks_at(recv, recv_count, 1, recv_type);
  call.block = call.out.bytes();
  if (is_root) {
    call.in = blocks_at(send, send_count, comm->size(), send_type);
    const UserData own = block_of(call.in, root, send_count);
    if (!in_place && own.bytes() != call.block) {
      return native(comm, Operation::Scatter, Reason::Arguments);
    }
    call.block = own.bytes();
    call.drops_out = in_place;
    if (in_place) call.out = {nullptr, call.block, byte_layout()};
  }
  return move(*comm, call, code);
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
  const bool aliased = !in_place && call.in.address == own.address && call.block > 0;
  if (call.in.bytes() != call.block || (kRefusesAliases && aliased)) {
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
      (kRefusesAliases && send == recv && recv_count > 0)) {
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
