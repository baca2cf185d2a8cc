// Short calls: the steps of a program one by one, sends left behind. Nothing is kept about steps
// and lanes, which would cost more than the messages themselves.
#include <algorithm>

#include "mpi/executor.hpp"

namespace espalier::mpi {

using runtime::SequentialStep;
using schedule::OpKind;

bool Executor::is_short() const {
#ifdef ESPALIER_SMPI
  // What is saved here is not simulated, and waiting for one message while another is there costs.
  return false;
#else
  constexpr std::uint64_t kShortBytes = 2048;
  const runtime::PreparedProgram& program = *call_->program;
  return !program.steps.empty() && program.longest * call_->buffers.bytes_per_unit() <= kShortBytes;
#endif
}

void Executor::run_one_by_one() {
  const std::vector<SequentialStep>& steps = call_->program->steps;
  for (std::uint32_t i = 0; i < steps.size() && error_ == MPI_SUCCESS; ++i) {
    const SequentialStep& step = steps[i];
    if (step.waits_for_send && !requests_.handles.empty()) wait_for_sends_before(i);
    if (step.kind == OpKind::Recv) {
      receive_now(step);
    } else if (step.kind == OpKind::Send) {
      send_now(step, i);
    } else {
      const SelfLane self{comm_, rank_, tags_.tag(calls_, call_->signature, 0)};
      const schedule::Program& program = call_->program->program;
      note(run_local_step(call_->buffers, program, program.ops[i], call_->reduction, self));
    }
  }
  if (error_ == MPI_SUCCESS && !requests_.handles.empty()) wait_for_sends();
}

void Executor::send_now(const SequentialStep& step, std::uint32_t index) {
  const Piece piece = slice_piece(call_->buffers, step.buffer, step.offset, step.length);
  ++sent_[step.level].messages;
  sent_[step.level].bytes += piece.bytes;
  Flow& flow = flows_[step.peer];
  const std::uint64_t since = flow.since_synchronous + piece.bytes + kEnvelopeBytes;
  const bool is_last = index + 1 == call_->program->steps.size();
  if (is_last && since <= options_.synchronous_after) {
    // Nothing else is to be done here, and MPI sends short messages fastest when asked to wait.
    flow.since_synchronous = since;
    note(PMPI_Send(piece.address, piece.count, piece.type, static_cast<int>(step.peer),
                   tags_.tag(calls_, call_->signature, step.tag), comm_));
    return;
  }
  Posted posted{0, index, step.peer, true, true, false, false, piece.bytes};
  const MPI_Request request = start_send(step.peer, piece, step.tag, posted.synchronous);
  requests_.add(request, posted);
}

void Executor::receive_now(const SequentialStep& step) {
  const Piece piece = slice_piece(call_->buffers, step.buffer, step.offset, step.length);
  MPI_Request request = start_receive(step.peer, piece, step.tag);
  MPI_Status status;
#ifdef ESPALIER_SMPI
  note(PMPI_Wait(&request, &status));
#else
  poll(
      [&] {
        int completed = 0;
        note(PMPI_Test(&request, &completed, &status));
        return completed != 0;
      },
      [&] {
        look_for_another_call(MPI_ANY_SOURCE);
        look_for_another_call(static_cast<int>(step.peer));
      });
#endif
  if (error_ == MPI_SUCCESS) {
    if (received_bytes(status) != piece.bytes) note(MPI_ERR_TRUNCATE);
  } else if (request != MPI_REQUEST_NULL) {
    PMPI_Cancel(&request);
    PMPI_Request_free(&request);
    left_messages_ = true;
  }
}

/// Those only that the step waits for: others may be for ranks that want something of ours first.
void Executor::wait_for_sends_before(std::uint32_t op) {
  const schedule::Program& program = call_->program->program;
  for (const std::uint32_t dep : program.deps_of(program.ops[op])) {
    const auto is_dep = [&](const Posted& posted) { return posted.op == dep; };
    const auto found = std::find_if(requests_.posted.begin(), requests_.posted.end(), is_dep);
    if (found == requests_.posted.end()) continue;
    const auto at = static_cast<std::size_t>(found - requests_.posted.begin());
    MPI_Request& request = requests_.handles[at];
#ifdef ESPALIER_SMPI
    note(PMPI_Wait(&request, MPI_STATUS_IGNORE));
#else
    poll(
        [&] {
          int completed = 0;
          note(PMPI_Test(&request, &completed, MPI_STATUS_IGNORE));
          return completed != 0;
        },
        [this] { look_for_another_call(MPI_ANY_SOURCE); });
#endif
    if (error_ != MPI_SUCCESS) return;
    if (found->synchronous) --flows_[found->peer].synchronous;
    requests_.remove_completed();
  }
}

void Executor::wait_for_sends() {
#ifdef ESPALIER_SMPI
  note(PMPI_Waitall(static_cast<int>(requests_.handles.size()), requests_.handles.data(),
                    MPI_STATUSES_IGNORE));
#else
  poll(
      [&] {
        int completed = 0;
        note(PMPI_Testall(static_cast<int>(requests_.handles.size()), requests_.handles.data(),
                          &completed, MPI_STATUSES_IGNORE));
        return completed != 0;
      },
      [this] { look_for_another_call(MPI_ANY_SOURCE); });
#endif
  if (error_ != MPI_SUCCESS) return;
  for (const Posted& sent : requests_.posted) {
    if (sent.synchronous) --flows_[sent.peer].synchronous;
  }
  requests_.clear();
}

}  // namespace espalier::mpi
