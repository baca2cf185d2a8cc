// The reductions, planned in elements: all ranks have the same type and operation.
#include <algorithm>
#include <numeric>

#include "mpi/arguments.hpp"
#include "mpi/calls.hpp"
#include "mpi/planned_call.hpp"
#include "mpi/reductions.hpp"
#include "mpi/staging.hpp"

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
  /// The result would write over a part of the input.
  [[nodiscard]] bool keeps_input(Operation operation) const {
    return in_place() && operation == Operation::ReduceScatter;
  }
  /// The plan is to find the input in its result.
  [[nodiscard]] bool joins(Operation operation) const {
    return in_place() && !keeps_input(operation);
  }
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

/// What all ranks know of it. Takes the counts.
runtime::SharedCall shared_of(const LocalCall& call, Combine& combine, const Layout& layout,
                              bool is_commutative) {
  return {call.operation,
          call.operation == Operation::Reduce ? static_cast<Rank>(call.root) : 0,
          static_cast<std::uint64_t>(combine.count),
          static_cast<std::uint64_t>(layout.size),
          is_commutative,
          false,
          std::move(combine.counts),
          has_gaps(layout)};
}

void place(const Combine& combine, const Layout& layout, ElementBuffers& buffers) {
  buffers.layout = layout;
  input(buffers) = combine.in_place() ? combine.out : bytes_at(combine.in);
  output(buffers) = combine.out;
}

/// In place, and the result is a part of what was the input: room for one block of the P costs less
/// than a copy of all.
void stage_result(const Combine& combine, const SelfLane& self, ElementBuffers& buffers,
                  Staged& staged) {
  std::byte* const result = staged.add_memory(buffers.layout, combine.elements_out);
  output(buffers) = result;
  staged.end = [layout = buffers.layout, result, out = combine.out, n = combine.elements_out,
                self] { return copy_elements(layout, result, out, n, self); };
}

/// In place, and the plan would read what it has overwritten.
void stage_input(const Combine& combine, const SelfLane& self, ElementBuffers& buffers,
                 Staged& staged) {
  const auto count = static_cast<std::uint64_t>(combine.elements_in);
  std::byte* const copied = staged.add_memory(buffers.layout, count);
  input(buffers) = copied;
  staged.loads.emplace_back([layout = buffers.layout, out = combine.out, copied, count, self] {
    return copy_elements(layout, out, copied, count, self);
  });
}

}  // namespace

Outcome reduce(Communicator& comm, const LocalCall& call) {
  auto combine = combine_of(comm, call);
  if (!combine) return native(comm, call.operation, Reason::Arguments);
  const auto checked = check_reduction(call.op, call.recv.type);
  if (!checked) return native(comm, call.operation, Reason::TypeOrOperation);
  const Layout layout = layout_of(call.recv.type);
  if (layout.size == 0) return native(comm, call.operation, Reason::TypeOrOperation);
  const Planned planned = plan_call(comm, shared_of(call, *combine, layout, checked->commutative),
                                    combine->joins(call.operation));
  if (!planned) return planned.outcome;
  if (!is_committed(layout, comm.hidden().self())) {
    return planned.ended(comm, leave_untyped(comm, *planned.plan));
  }
  Elements elements;
  elements.bytes = static_cast<std::uint64_t>(combine->count * layout.size);
  elements.reduction = checked->reduction;
  place(*combine, layout, elements.buffers);
  const runtime::CachedPlan& plan = *planned.plan;
  const bool keeps_input = combine->keeps_input(call.operation);
  if (!keeps_input && !plan.needs_input_copy) {
    return planned.ended(comm, run(comm, plan, call.operation, elements));
  }
  Staged staged;
  (keeps_input ? stage_result : stage_input)(*combine, comm.hidden().self(), elements.buffers,
                                             staged);
  return planned.ended(comm, run(comm, plan, call.operation, elements, staged));
}

Outcome start_reduce(Communicator& comm, const LocalCall& call, const Starting& how) {
  auto combine = combine_of(comm, call);
  // The program may free an operation of its own while it is still to be called.
  if (!combine || !is_named_operation(call.op)) return native_pending();
  const auto checked = check_reduction(call.op, call.recv.type);
  const Layout layout = checked ? layout_of(call.recv.type) : Layout{};
  if (layout.size == 0) return native_pending();
  auto pending = plan_pending(comm, how, shared_of(call, *combine, layout, checked->commutative),
                              combine->joins(call.operation));
  if (pending == nullptr) return native_pending();
  pending->elements.reduction = checked->reduction;
  ElementBuffers& buffers = pending->elements.buffers;
  place(*combine, layout, buffers);
  if (combine->keeps_input(call.operation)) {
    stage_result(*combine, pending->self(), buffers, *pending);
  } else if (pending->plan->needs_input_copy) {
    stage_input(*combine, pending->self(), buffers, *pending);
  }
  return start(comm, call.operation, std::move(pending), how);
}

}  // namespace espalier::mpi
