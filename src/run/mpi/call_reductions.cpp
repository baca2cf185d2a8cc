// The reductions, planned in elements: all ranks have the same type and operation.
#include <algorithm>
#include <numeric>

#include "mpi/arguments.hpp"
#include "mpi/calls.hpp"
#include "mpi/planned_call.hpp"
#include "mpi/reductions.hpp"

namespace espalier::mpi {

using runtime::Reason;
using schedule::Operation;

namespace {

/// A reduction as this rank sees it.
struct Combine {
  const void* in = nullptr;  ///< input, or MPI_IN_PLACE
  std::byte* out = nullptr;
  bool has_out = true;                     ///< `out` is significant on this rank
  std::int64_t count = 0;                  ///< elements, or mean elements of a block
  std::vector<std::uint64_t> counts = {};  ///< elements of each block; empty if all are equal
  std::int64_t elements_in = 0;            ///< elements of all blocks together
  std::uint64_t elements_out = 0;          ///< elements of this rank's block of a reduce-scatter

  [[nodiscard]] bool in_place() const { return in == MPI_IN_PLACE; }
};

/// The blocks of MPI_Reduce_scatter. @return whether the counts may be right
bool take_counts(const Communicator& comm, const int* counts, Combine& combine) {
  if (counts == nullptr) return false;
  const std::span all(counts, static_cast<std::size_t>(comm.size()));
  if (std::any_of(all.begin(), all.end(), [](int n) { return n < 0; })) return false;
  combine.count = all[0];
  combine.elements_in = std::accumulate(all.begin(), all.end(), std::int64_t{0});
  if (!std::all_of(all.begin(), all.end(), [&](int n) { return n == all[0]; })) {
    combine.counts.assign(all.begin(), all.end());
    combine.count = combine.elements_in / comm.size();
  }
  const int own = all[static_cast<std::size_t>(comm.rank())];
  combine.elements_out = static_cast<std::uint64_t>(own);
  // Who gets nothing needs no buffer for it; in place it holds the input all the same.
  combine.has_out = combine.in_place() || own > 0;
  return true;
}

/// Nothing if the arguments are wrong, as far as that is seen without asking MPI.
std::optional<Combine> combine_of(const Communicator& comm, const LocalCall& call) {
  const MPI_Datatype type = call.recv.type;
  Combine combine{call.send.buffer, bytes_at(call.recv.buffer)};
  combine.count = combine.elements_in = call.recv.count;
  if (call.operation == Operation::Reduce) {
    if (!is_rank(call.root, comm.size())) return std::nullopt;
    combine.has_out = comm.rank() == call.root;
  }
  // Forbidden, but it may be so on one rank alone, which must decide as the others do. Of longer
  // allreduces Open MPI says itself that they are wrong.
  const bool is_refused =
      kRefusesAliases || (call.operation == Operation::Allreduce && combine.count > 1);
  const bool is_alias = combine.in == combine.out && combine.has_out && combine.out != nullptr;
  if (is_alias && !is_refused) combine.in = MPI_IN_PLACE;
  if (call.irregular) {
    if (!take_counts(comm, call.recv.counts, combine)) return std::nullopt;
  } else if (call.operation == Operation::ReduceScatter) {
    combine.elements_in *= comm.size();
    combine.elements_out = static_cast<std::uint64_t>(std::max<std::int64_t>(0, combine.count));
  } else if (call.operation == Operation::Exscan) {
    // Rank 0's result means nothing: what is wrong elsewhere is not here, unless the MPI says so.
    const bool has_result = kRefusesAliases || comm.rank() != 0;
    if (combine.in == combine.out && combine.count > 0 && has_result) return std::nullopt;
    combine.has_out = comm.rank() != 0 || combine.in_place();
  }
  const auto is_address = [&](const void* address) {
    return may_be_an_address(address, combine.elements_in == 0 ? 0 : 1, type);
  };
  // MPICH looks at rank 0's result of an exscan, too.
  const bool is_looked_at =
      combine.has_out || (kRefusesAliases && call.operation == Operation::Exscan);
  const bool is_nowhere =
      is_looked_at && call.recv.buffer == MPI_IN_PLACE && combine.elements_in > 0;
  const bool is_wrong = combine.count < 0 || type == MPI_DATATYPE_NULL || is_nowhere ||
                        (combine.in_place() && !combine.has_out) ||
                        ((combine.has_out || (call.irregular && kRefusesAliases)) &&
                         combine.in == combine.out && combine.elements_in > 0) ||
                        (!combine.in_place() && !is_address(combine.in)) ||
                        (combine.has_out && !is_address(combine.out));
  return is_wrong ? std::nullopt : std::optional(std::move(combine));
}

/// In place, and the result is a part of what was the input: room for one block of the P costs less
/// than a copy of all.
int run_with_result_apart(Communicator& comm, const runtime::CachedPlan& plan,
                          const Combine& combine, Elements elements) {
  const Layout& layout = elements.buffers.layout;
  ElementMemory result(layout, combine.elements_out);
  output(elements.buffers) = result.address();
  elements.copied = result.size();
  const int code = run(comm, plan, Operation::ReduceScatter, elements);
  leave_if_failed(comm, code, result);
  if (code != MPI_SUCCESS) return code;
  return copy_elements(layout, result.address(), combine.out, combine.elements_out, comm.self());
}

/// In place, and the plan would read what it has overwritten.
int run_with_input_apart(Communicator& comm, const runtime::CachedPlan& plan, Operation operation,
                         const Combine& combine, Elements elements) {
  const Layout& layout = elements.buffers.layout;
  const auto count = static_cast<std::uint64_t>(combine.elements_in);
  ElementMemory copied(layout, count);
  input(elements.buffers) = copied.address();
  elements.copied = copied.size();
  int code = copy_elements(layout, combine.out, copied.address(), count, comm.self());
  if (code != MPI_SUCCESS) return code;
  code = run(comm, plan, operation, elements);
  leave_if_failed(comm, code, copied);
  return code;
}

}  // namespace

Outcome reduce(Communicator& comm, const LocalCall& call) {
  auto combine = combine_of(comm, call);
  if (!combine) return native(comm, call.operation, Reason::Arguments);
  const auto checked = check_reduction(call.op, call.recv.type);
  if (!checked) return native(comm, call.operation, Reason::TypeOrOperation);
  const Layout layout = layout_of(call.recv.type);
  if (layout.size == 0) return native(comm, call.operation, Reason::TypeOrOperation);
  const auto count = static_cast<std::uint64_t>(combine->count);
  const auto size = static_cast<std::uint64_t>(layout.size);
  const bool keeps_input = combine->in_place() && call.operation == Operation::ReduceScatter;
  const auto root = call.operation == Operation::Reduce ? static_cast<Rank>(call.root) : 0;
  const Planned planned = plan_call(comm,
                                    {call.operation, root, count, size, checked->commutative, false,
                                     std::move(combine->counts), has_gaps(layout)},
                                    combine->in_place() && !keeps_input);
  if (!planned) return planned.outcome;
  Elements elements;
  elements.bytes = count * size;
  elements.reduction = checked->reduction;
  elements.buffers.layout = layout;
  input(elements.buffers) = combine->in_place() ? combine->out : bytes_at(combine->in);
  output(elements.buffers) = combine->out;
  const runtime::CachedPlan& plan = *planned.plan;
  return planned.ended(comm,
                       keeps_input ? run_with_result_apart(comm, plan, *combine, elements)
                       : plan.needs_input_copy
                           ? run_with_input_apart(comm, plan, call.operation, *combine, elements)
                           : run(comm, plan, call.operation, elements));
}

Outcome start_reduce(Communicator& comm, const LocalCall& call, const Starting& how) {
  auto combine = combine_of(comm, call);
  // The program may free an operation of its own while it is still to be called.
  if (!combine || !is_named_operation(call.op)) return native_pending();
  const auto checked = check_reduction(call.op, call.recv.type);
  const Layout layout = checked ? layout_of(call.recv.type) : Layout{};
  if (layout.size == 0) return native_pending();
  const auto count = static_cast<std::uint64_t>(combine->count);
  const auto size = static_cast<std::uint64_t>(layout.size);
  const bool keeps_input = combine->in_place() && call.operation == Operation::ReduceScatter;
  const auto root = call.operation == Operation::Reduce ? static_cast<Rank>(call.root) : 0;
  auto pending = plan_pending(comm, how,
                              {call.operation, root, count, size, checked->commutative, false,
                               std::move(combine->counts), has_gaps(layout)},
                              combine->in_place() && !keeps_input);
  if (pending == nullptr) return native_pending();
  pending->elements.reduction = checked->reduction;
  ElementBuffers& buffers = pending->elements.buffers;
  buffers.layout = layout;
  input(buffers) = combine->in_place() ? combine->out : bytes_at(combine->in);
  output(buffers) = combine->out;
  const SelfLane self = pending->self();
  if (keeps_input) {
    std::byte* const result = pending->add_memory(layout, combine->elements_out);
    output(buffers) = result;
    pending->end = [layout, result, out = combine->out, n = combine->elements_out, self] {
      return copy_elements(layout, result, out, n, self);
    };
  } else if (pending->plan->needs_input_copy) {
    const auto elements = static_cast<std::uint64_t>(combine->elements_in);
    std::byte* const copied = pending->add_memory(layout, elements);
    pending->loads.emplace_back([layout, out = combine->out, copied, elements, self] {
      return copy_elements(layout, out, copied, elements, self);
    });
    input(buffers) = copied;
  }
  return start(comm, call.operation, std::move(pending), how);
}

}  // namespace espalier::mpi
