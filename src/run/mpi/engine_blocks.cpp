// The irregular calls: gatherv, scatterv, allgatherv, alltoallv, alltoallw.
//
// Who moves how much only some of the ranks know, so planned or native depends on the communicator
// (and for allgatherv on its counts, which all ranks have): first the plan is found, which may be
// collective, then this rank's own arguments are looked at. If those are wrong the MPI library says
// so, and the number of the call is used up: here it stays in step with ranks that were right.
#include "mpi/engine.hpp"

namespace espalier::mpi {

using runtime::CachedPlan;
using runtime::PlanKey;
using runtime::Reason;
using schedule::Operation;

namespace {

/// The mean block of an allgatherv; nothing if the counts are wrong.
std::optional<std::uint64_t> mean_block(const BlockArguments& recv, int size) {
  if (recv.counts == nullptr || recv.displacements == nullptr) return std::nullopt;
  if (recv.type == MPI_DATATYPE_NULL) return std::nullopt;
  std::uint64_t elements = 0;
  for (int b = 0; b < size; ++b) {
    if (recv.counts[b] < 0) return std::nullopt;
    elements += static_cast<std::uint64_t>(recv.counts[b]);
  }
  if (elements == 0) return 0;
  const auto bytes = elements * static_cast<std::uint64_t>(layout_of(recv.type).size);
  return bytes / static_cast<std::uint64_t>(size);
}

}  // namespace

bool Engine::move_blocks(const BlockCall& call, int& code) {
  Communicator* comm = enter(call.comm);
  if (comm == nullptr) return false;
  if (comm->never()) return native(comm, call.operation, *comm->never());
  PlanKey key{call.operation, 0, select::kUnknownBlock, 1, true, false, true};
  if (has_root(call.operation)) {
    if (call.root < 0 || call.root >= comm->size()) {
      return native(comm, call.operation, Reason::Arguments);
    }
    key.root = static_cast<Rank>(call.root);
  }
  if (call.operation == Operation::Allgather) {
    const auto mean = mean_block(call.recv, comm->size());
    if (!mean) return native(comm, call.operation, Reason::Arguments);
    key.count = select::block_class(*mean);
  }
  const CachedPlan* found = plan(*comm, key);
  if (found == nullptr) return false;
  if (runtime::is_by_counts(world_->settings, call.operation)) {
    return move_by_counts(*comm, call, *found, code);
  }
  auto buffers = user_blocks(call, comm->rank(), comm->size());
  if (!buffers) {
    leave_call(*comm);
    return native(comm, call.operation, Reason::Arguments);
  }
  const double begin = keeps_log() ? PMPI_Wtime() : 0;
  const Call told{call.operation, own_bytes(*buffers)};
  code = save_input(call, found->prepared.program, *buffers, comm->self());
  if (code == MPI_SUCCESS) {
    code = comm->executor().run_blocks(found->prepared, std::move(*buffers), found->signature);
  } else {
    leave_call(*comm);
  }
  note_planned(*comm, *found, told, begin);
  if (code != MPI_SUCCESS) failed(*comm);
  return true;
}

bool Engine::move_by_counts(Communicator& comm, const BlockCall& call, const CachedPlan& plan,
                            int& code) {
  auto buffers = user_blocks(call, comm.rank(), comm.size());
  const double begin = keeps_log() ? PMPI_Wtime() : 0;
  const Call told{call.operation, buffers ? own_bytes(*buffers) : 0};
  CountedTrees& trees = comm.counted_trees();
  const CountedTrees::Call rooted{static_cast<Rank>(call.root), &plan,
                                  buffers ? &*buffers : nullptr};
  CountedTrees::Ran ran;
  if (call.operation == Operation::Gather) {
    ran = trees.gather(rooted);
  } else if (buffers) {
    ran = trees.scatter(rooted);
  } else {
    leave_call(comm);
  }
  if (!buffers) {
    comm.mark_failed();
    return native(&comm, call.operation, Reason::Arguments);
  }
  code = ran.code;
  note_by_counts(comm, ran, told, begin);
  if (code != MPI_SUCCESS) failed(comm);
  return true;
}

void Engine::note_by_counts(Communicator& comm, const CountedTrees::Ran& ran, const Call& call,
                            double begin) {
  ++comm.counts.planned[static_cast<std::size_t>(call.operation)];
  LastCall& last = last_call();
  last.outcome.planned = true;
  last.plan.fill('\0');
  ran.name.copy(last.plan.data(), last.plan.size() - 1);
  if (!keeps_log()) return;
  comm.log.add({comm.name(), call.operation, select::size_class(Bytes{call.bytes}), ran.name,
                "the root's choice, by the lengths of all blocks", 1,
                ran.predicted ? to_microseconds(*ran.predicted) : -1,
                (PMPI_Wtime() - begin) * 1e6});
}

std::uint64_t Engine::bytes_of(const BlockCall& call) {
  Communicator* comm = find(call.comm);
  // Between groups the arguments mean something else.
  if (comm == nullptr || comm->never() == Reason::Intercommunicator) return 0;
  const auto buffers = user_blocks(call, comm->rank(), comm->size());
  return buffers ? own_bytes(*buffers) : 0;
}

}  // namespace espalier::mpi
