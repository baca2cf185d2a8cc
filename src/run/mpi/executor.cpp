#include "mpi/executor.hpp"

namespace espalier::mpi {

int Executor::run(const ElementCall& call) {
  const std::uint64_t number = channel_.take_number();
  if (is_short(call) && channel_.is_idle()) {
    return run_short(channel_, call, number, left_messages_);
  }
  elements_.take(call, number);
  execution_.begin(*call.program, elements_, number, call.signature);
  const int code = execution_.finish();
  left_messages_ = execution_.left_messages();
  return code;
}

int Executor::run_blocks(const runtime::PreparedProgram& program, BlockBuffers buffers,
                         std::uint64_t signature) {
  auto payload = std::make_unique<BlockPayload>(program, std::move(buffers), channel_.self());
  execution_.begin(program, *payload, channel_.take_number(), signature);
  int code = execution_.finish();
  if (code == MPI_SUCCESS && payload->overflowed()) code = MPI_ERR_TRUNCATE;
  if (execution_.left_messages()) abandoned_.push_back(std::move(payload));
  return code;
}

void Executor::keep(std::unique_ptr<RoleRun> run) {
  if (run->left_messages()) abandoned_roles_.push_back(std::move(run));
}

}  // namespace espalier::mpi
