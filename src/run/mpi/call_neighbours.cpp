// Neighbourhood collectives.
//
// How long a block is, only its sender and its receiver know, also where all blocks of a rank are
// equally long. So planned or native depends on the communicator, and on a length that the ranks
// agreed on in earlier calls: first the plan is found, which may be collective, then this rank
// leaves the call if its own arguments are wrong.
#include <algorithm>
#include <utility>

#include "mpi/calls.hpp"
#include "mpi/planned_call.hpp"

namespace espalier::mpi {

using runtime::Reason;

namespace {

runtime::SharedCall shared_by_all_of(const LocalCall& call, std::uint64_t bytes) {
  return {call.operation, 0, bytes, 1, true, true};
}

std::uint64_t longest_of(const BlockBuffers& buffers) {
  std::uint64_t longest = 0;
  for (const BlockView& block : buffers.in) longest = std::max(longest, block.bytes);
  for (const BlockPlace& block : buffers.out) longest = std::max(longest, block.capacity);
  return longest;
}

}  // namespace

Outcome exchange_with_neighbours(Communicator& comm, const LocalCall& call) {
  if (const auto why = comm.why_no_neighbours()) return native(comm, call.operation, *why);
  auto buffers = neighbour_blocks(call, comm.neighbours().own());
  const bool is_agreed_on =
      comm.neighbours().agree_on_block(call.operation, buffers ? longest_of(*buffers) : 0);
  const auto length = comm.neighbours().agreed_block(call.operation);
  if (!length) return native(comm, call.operation, Reason::FirstCalls);
  Planned planned = plan_call(comm, shared_by_all_of(call, *length));
  if (!planned) {
    // All ranks count calls until they agree again, so each must come here every time.
    if (is_agreed_on) planned.outcome.native_for_good = nullptr;
    return planned.outcome;
  }
  return run_on_blocks(comm, call, planned, std::move(buffers));
}

// Calls that block tell the graph, and so does an init call: it is collective, and may wait.
Outcome start_with_neighbours(Communicator& comm, const LocalCall& call, const Starting& how) {
  const bool is_ready = how.is_persistent ? comm.may_bind() && !comm.why_no_neighbours()
                                          : comm.neighbours().are_known();
  const auto length = is_ready ? comm.neighbours().agreed_block(call.operation) : std::nullopt;
  auto pending = length ? plan_pending(comm, how, shared_by_all_of(call, *length)) : nullptr;
  if (pending == nullptr) return native_pending();
  return start_on_blocks(comm, call, how, std::move(pending),
                         neighbour_blocks(call, comm.neighbours().own()));
}

}  // namespace espalier::mpi
