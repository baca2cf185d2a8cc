// The reductions, planned in elements: all ranks have the same type and operation.
#include <algorithm>
#include <numeric>

#include "mpi/arguments.hpp"
#include "mpi/engine.hpp"
#include "mpi/reductions.hpp"

namespace espalier::mpi {

using runtime::CachedPlan;
using runtime::Reason;
using schedule::Buffer;
using schedule::Operation;

/// A call as this rank sees it.
struct Engine::Combine {
  Operation operation;
  Rank root = 0;
  const void* in = nullptr;  ///< input, or MPI_IN_PLACE
  void* out = nullptr;
  bool has_out = true;  ///< `out` is significant on this rank
  std::int64_t count = 0;
  std::vector<std::uint64_t> counts = {};  ///< elements of each block; empty if all are equal
  std::int64_t elements_in = 0;            ///< elements of all blocks together
  MPI_Datatype type{};
  MPI_Op op{};
  std::uint64_t elements_out = 0;  ///< elements of this rank's block of a reduce-scatter
};

bool Engine::combine(Communicator& comm, const Combine& call, int& code) {
  const bool in_place = call.in == MPI_IN_PLACE;
  const auto is_address = [&](const void* address) {
    return may_be_an_address(address, call.elements_in == 0 ? 0 : 1, call.type);
  };
  if (call.count < 0 || call.type == MPI_DATATYPE_NULL || (in_place && !call.has_out) ||
      (call.has_out && call.in == call.out && call.elements_in > 0) ||
      (!in_place && !is_address(call.in)) || (call.has_out && !is_address(call.out))) {
    return native(&comm, call.operation, Reason::Arguments);
  }
  const auto checked = check_reduction(call.op, call.type);
  if (!checked) return native(&comm, call.operation, Reason::TypeOrOperation);
  const Layout layout = layout_of(call.type);
  if (layout.size == 0) return native(&comm, call.operation, Reason::TypeOrOperation);
  const auto count = static_cast<std::uint64_t>(call.count);
  const auto size = static_cast<std::uint64_t>(layout.size);
  const bool keeps_input = in_place && call.operation == Operation::ReduceScatter;
  const CachedPlan* found =
      plan(comm, {call.operation, call.root, count, size, checked->commutative,
                  in_place && !keeps_input, false, call.counts});
  if (found == nullptr) return false;

  Call logged{call.operation, count * size};
  ElementCall execution;
  execution.reduction = checked->reduction;
  execution.buffers.layout = layout;
  auto& base = execution.buffers.base;
  base[static_cast<std::size_t>(Buffer::In)] = bytes_at(in_place ? call.out : call.in);
  base[static_cast<std::size_t>(Buffer::Out)] = bytes_at(call.out);
  if (keeps_input) {  // room for one block of the P costs less than a copy of all
    ElementMemory result(layout, call.elements_out);
    base[static_cast<std::size_t>(Buffer::Out)] = result.address();
    logged.copied = result.size();
    run(comm, *found, execution, logged, code);
    if (code != MPI_SUCCESS) leave(comm, result);
    if (code != MPI_SUCCESS) return true;
    code =
        copy_elements(layout, result.address(), bytes_at(call.out), call.elements_out, comm.self());
    return true;
  }
  if (!found->needs_input_copy) return run(comm, *found, execution, logged, code);
  const auto elements = static_cast<std::uint64_t>(call.elements_in);
  ElementMemory input(layout, elements);
  base[static_cast<std::size_t>(Buffer::In)] = input.address();
  logged.copied = input.size();
  code = copy_elements(layout, bytes_at(call.out), input.address(), elements, comm.self());
  if (code != MPI_SUCCESS) return true;
  run(comm, *found, execution, logged, code);
  if (code != MPI_SUCCESS) leave(comm, input);
  return true;
}

bool Engine::reduce(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op,
                    int root, MPI_Comm handle, int& code) {
  Communicator* comm = enter(handle);
  if (comm == nullptr) return false;
  if (comm->never()) return native(comm, Operation::Reduce, *comm->never());
  if (root < 0 || root >= comm->size()) return native(comm, Operation::Reduce, Reason::Arguments);
  return combine(*comm,
                 {Operation::Reduce,
                  static_cast<Rank>(root),
                  in,
                  out,
                  comm->rank() == root,
                  count,
                  {},
                  count,
                  type,
                  op},
                 code);
}

bool Engine::allreduce(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op,
                       MPI_Comm handle, int& code) {
  Communicator* comm = enter(handle);
  if (comm == nullptr) return false;
  if (comm->never()) return native(comm, Operation::Allreduce, *comm->never());
  return combine(*comm, {Operation::Allreduce, 0, in, out, true, count, {}, count, type, op}, code);
}

bool Engine::reduce_scatter_block(const void* in, void* out, std::int64_t count, MPI_Datatype type,
                                  MPI_Op op, MPI_Comm handle, int& code) {
  Communicator* comm = enter(handle);
  if (comm == nullptr) return false;
  if (comm->never()) return native(comm, Operation::ReduceScatter, *comm->never());
  const std::int64_t all = count * comm->size();
  Combine call{Operation::ReduceScatter, 0, in, out, true, count, {}, all, type, op};
  call.elements_out = count < 0 ? 0 : static_cast<std::uint64_t>(count);
  return combine(*comm, call, code);
}

bool Engine::reduce_scatter(const void* in, void* out, const int* counts, MPI_Datatype type,
                            MPI_Op op, MPI_Comm handle, int& code) {
  Communicator* comm = enter(handle);
  if (comm == nullptr) return false;
  if (comm->never()) return native(comm, Operation::ReduceScatter, *comm->never());
  const int size = comm->size();
  if (counts == nullptr || std::any_of(counts, counts + size, [](int n) { return n < 0; })) {
    return native(comm, Operation::ReduceScatter, Reason::Arguments);
  }
  const std::int64_t all = std::accumulate(counts, counts + size, std::int64_t{0});
  Combine call{Operation::ReduceScatter, 0, in, out, true, counts[0], {}, all, type, op};
  if (!std::all_of(counts, counts + size, [&](int n) { return n == counts[0]; })) {
    call.counts.assign(counts, counts + size);
    call.count = all / size;
  }
  call.elements_out = static_cast<std::uint64_t>(counts[comm->rank()]);
  // Who gets nothing needs no buffer for it; in place it holds the input all the same.
  call.has_out = in == MPI_IN_PLACE || counts[comm->rank()] > 0;
  return combine(*comm, call, code);
}

bool Engine::scan(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm handle, int& code) {
  Communicator* comm = enter(handle);
  if (comm == nullptr) return false;
  if (comm->never()) return native(comm, Operation::Scan, *comm->never());
  return combine(*comm, {Operation::Scan, 0, in, out, true, count, {}, count, type, op}, code);
}

bool Engine::exscan(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm handle, int& code) {
  Communicator* comm = enter(handle);
  if (comm == nullptr) return false;
  if (comm->never()) return native(comm, Operation::Exscan, *comm->never());
  if (in == out &&
      count > 0) {  // rank 0's `out` means nothing: what is wrong elsewhere is not here
    if (kRefusesAliases) return native(comm, Operation::Exscan, Reason::Arguments);
    in = MPI_IN_PLACE;
  }
  const bool has_out = comm->rank() != 0 || in == MPI_IN_PLACE;
  return combine(*comm, {Operation::Exscan, 0, in, out, has_out, count, {}, count, type, op}, code);
}

}  // namespace espalier::mpi
