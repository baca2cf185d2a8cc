#include "mpi/element_payload.hpp"

#include "mpi/wire.hpp"

namespace espalier::mpi {

std::uint64_t ElementPayload::known_bytes(std::uint32_t message) const {
  const runtime::PreparedProgram& program = *call_->program;
  return program.program.units(program.messages[message].region) * call_->buffers.bytes_per_unit();
}

void ElementPayload::start(Execution& execution, std::uint32_t index) {
  const runtime::Message& message = call_->program->messages[index];
  const runtime::Lane& lane = execution.lane_of(index);
  const std::uint64_t bytes = known_bytes(index);
  std::uint64_t most = channel_.options().max_piece_bytes;
  if constexpr (kCutsFarMessages) most = runtime::bytes_in_one(lane.link, bytes, most);
  const int tag = execution.tag(message.tag);
  for_each_piece(call_->buffers, call_->program->program, message.region, most,
                 [&](const Piece& piece) {
                   if (lane.sends) {
                     execution.send(index, piece, tag);
                   } else {
                     execution.receive(index, piece, tag);
                   }
                 });
  if (lane.sends) channel_.count_sent(lane.link.level, bytes);
}

void ElementPayload::complete(Execution& execution, const Part& part, std::uint64_t came) {
  if (!part.sends && came != part.bytes) execution.note(MPI_ERR_TRUNCATE);
}

int ElementPayload::run_here(const schedule::Op& op) {
  return run_local_step(call_->buffers, call_->program->program, op, call_->reduction, self_);
}

}  // namespace espalier::mpi
