#include "mpi/executor.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "mpi/polling.hpp"

namespace espalier::mpi {

using runtime::Lane;
using runtime::Message;
using schedule::OpKind;

namespace {

/// Bytes of a message that go in one of MPI's.
std::uint64_t most_in_one([[maybe_unused]] const Lane& lane, [[maybe_unused]] std::uint64_t bytes,
                          std::uint64_t most) {
#ifdef ESPALIER_SMPI  // has no handshakes to save, and simulates each part as a flow of its own
  return most;
#else
  return bytes_in_one(lane.link, bytes, most);
#endif
}

#ifdef ESPALIER_SMPI
constexpr std::uint64_t kWaitsForReceiver = 64 * 1024;  // smpi/async-small-thresh

/// SMPI takes no time of blocking sends and of MPI_Sendrecv for messages that wait for their
/// receiver, but of MPI_Isend it does. A persistent send is what its MPI_Sendrecv is made of.
int start_long_send(const Piece& piece, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  const int code = PMPI_Send_init(piece.address, piece.count, piece.type, peer, tag, comm, request);
  return code == MPI_SUCCESS ? PMPI_Start(request) : code;
}
#endif

}  // namespace

Executor::Executor(MPI_Comm comm, int rank, int size, runtime::Tags tags,
                   const ExecutorOptions& options)
    : comm_(comm),
      rank_(rank),
      tags_(tags),
      options_(options),
      pace_mask_(tags.calls_apart() / 4 - 1),
      pace_(comm),
      flows_(static_cast<std::size_t>(size)) {}

Executor::~Executor() { give_up(); }

int Executor::run(const Execution& execution) {
  call_ = &execution;
  error_ = MPI_SUCCESS;
  if (execution.program->levels > sent_.size()) sent_.resize(execution.program->levels);
  if (is_short()) {
    run_one_by_one();
  } else {
    run_all_at_once();
  }
  if (error_ != MPI_SUCCESS) give_up();
  call_ = nullptr;
  skip_call();
  return error_;
}

/// Tags tell a quarter of a round from another: who begins one has made sure that all have begun
/// the one before. So nobody is further ahead of another than half of what tags tell apart, and a
/// message whose tag is that of the call which runs belongs to it.
void Executor::keep_pace() {
  if (keeps_pace_) static_cast<void>(pace_.finish());
  keeps_pace_ = true;
  constexpr std::array<double, 1> kNothing{};
  pace_.start(kNothing);
}

void Executor::run_all_at_once() {
  begin();
  const auto& waits = call_->program->waits;
  // Receives first: nothing of a long message flows before its receive is there, and sending takes
  // time.
  for (const bool receives : {true, false}) {
    for (std::uint32_t op = 0; op < waits.size(); ++op) {
      const bool is_receive = call_->program->program.ops[op].kind == OpKind::Recv;
      if (waits[op] == 0 && is_receive == receives) make_ready(op);
    }
  }
  run_local_steps();
  while (!done() && error_ == MPI_SUCCESS) {
    wait_for_some();
    run_local_steps();
  }
}

void Executor::begin() {
  const runtime::PreparedProgram& program = *call_->program;
  open_ops_ = program.waits.size();
  waits_ = program.waits;
  open_messages_ = program.message_count;
  if (lanes_.size() < program.lanes.size()) lanes_.resize(program.lanes.size());
  for (std::size_t l = 0; l < program.lanes.size(); ++l) {
    open_lane(static_cast<std::uint32_t>(l));
  }
  local_.clear();
  next_local_ = 0;
}

void Executor::open_lane(std::uint32_t index) {
  const Lane& lane = call_->program->lanes[index];
  LaneState& state = lanes_[index];
  state.ready.clear();
  state.next = 0;
  state.under_way = 0;
  state.flow = lane.sends ? &flows_[lane.peer] : nullptr;
  state.parts_under_way = 0;
}

void Executor::make_ready(std::uint32_t op) {
  const OpKind kind = call_->program->program.ops[op].kind;
  if (kind == OpKind::Reduce || kind == OpKind::Copy) {
    local_.push_back(op);
    return;
  }
  if (open_messages_[op] == 0) return finish_op(op);
  const runtime::PreparedProgram& program = *call_->program;
  for (std::uint32_t m = program.first_message[op]; m < program.first_message[op + 1]; ++m) {
    lanes_[program.lanes_of_op[m]].ready.push_back(program.messages_of_op[m]);
    pump(program.lanes_of_op[m]);
  }
}

void Executor::finish_op(std::uint32_t op) {
  --open_ops_;
  for (const std::uint32_t next : call_->program->dependents_of(op)) {
    if (--waits_[next] == 0) make_ready(next);
  }
}

/// One by one, so that messages which a step sets free leave before the next step.
void Executor::run_local_steps() {
  while (next_local_ < local_.size() && error_ == MPI_SUCCESS) {
    const std::uint32_t op = local_[next_local_++];
    const SelfLane self{comm_, rank_, tags_.tag(calls_, call_->signature, 0)};
    note(run_local_step(call_->buffers, call_->program->program, call_->program->program.ops[op],
                        call_->reduction, self));
    finish_op(op);
  }
}

/// Not short messages: whoever takes those one by one (executor_short.cpp) may wait for a later one
/// first, which would never leave.
bool Executor::is_part(const Lane& lane) const {
  constexpr std::uint64_t kShortBytes = 2048;
  if (options_.window_of_parts == 0 || !lane.sends || lane.count < 2) return false;
  const Message& first = call_->program->messages[lane.first];
  return call_->program->program.units(first.region) * call_->buffers.bytes_per_unit() >
         kShortBytes;
}

/// Whether the next message has to wait for others to the same rank.
bool Executor::is_full(std::uint32_t index) const {
  const LaneState& state = lanes_[index];
  if (state.flow == nullptr) return false;
  if (is_part(call_->program->lanes[index])) {
    return state.parts_under_way >= options_.window_of_parts;
  }
  return state.under_way >= options_.send_window || state.flow->synchronous >= kSynchronousUnderWay;
}

void Executor::pump(std::uint32_t index) {
  LaneState& state = lanes_[index];
  while (state.next < state.ready.size() && error_ == MPI_SUCCESS) {
    if (is_full(index)) return;
    ++state.under_way;
    post(index, call_->program->messages[state.ready[state.next++]]);
  }
}

void Executor::post(std::uint32_t lane, const Message& message) {
  const std::size_t before = requests_.posted.size();
  const schedule::Program& program = call_->program->program;
  const std::uint64_t bytes = program.units(message.region) * call_->buffers.bytes_per_unit();
  for_each_piece(call_->buffers, program, message.region,
                 most_in_one(call_->program->lanes[lane], bytes, options_.max_piece_bytes),
                 [&](const Piece& piece) { post_piece(lane, message, piece); });
  const std::span<Posted> pieces(requests_.posted.begin() + static_cast<std::ptrdiff_t>(before),
                                 requests_.posted.end());
  for (Posted& piece : pieces) piece.last = &piece == &pieces.back();
  open_messages_[message.op] += static_cast<std::uint32_t>(pieces.size()) - 1;
  if (!call_->program->lanes[lane].sends) return;
  LevelCount& count = sent_[call_->program->lanes[lane].link.level];
  ++count.messages;
  for (const Posted& piece : pieces) count.bytes += piece.bytes;
}

void Executor::post_piece(std::uint32_t index, const Message& message, const Piece& piece) {
  const Lane& lane = call_->program->lanes[index];
  const bool part = is_part(lane);
  Posted posted{index, message.op, lane.peer, lane.sends, true, part, part, piece.bytes};
  if (part) ++lanes_[index].parts_under_way;
  const MPI_Request request = lane.sends
                                  ? start_send(lane.peer, piece, message.tag, posted.synchronous)
                                  : start_receive(lane.peer, piece, message.tag);
  requests_.add(request, posted);
}

MPI_Request Executor::start_receive(Rank peer, const Piece& piece, std::uint32_t message_tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  note(PMPI_Irecv(piece.address, piece.count, piece.type, static_cast<int>(peer),
                  tags_.tag(calls_, call_->signature, message_tag), comm_, &request));
  return request;
}

MPI_Request Executor::start_send(Rank to, const Piece& piece, std::uint32_t message_tag,
                                 bool& synchronous) {
  const int peer = static_cast<int>(to);
  const int tag = tags_.tag(calls_, call_->signature, message_tag);
  MPI_Request request = MPI_REQUEST_NULL;
  Flow& flow = flows_[to];
#ifdef ESPALIER_SMPI
  if (piece.bytes >= kWaitsForReceiver) {
    if (synchronous) ++flow.synchronous;
    note(start_long_send(piece, peer, tag, comm_, &request));
    return request;
  }
#endif
  flow.since_synchronous += piece.bytes + kEnvelopeBytes;
  synchronous = synchronous || flow.since_synchronous > options_.synchronous_after;
  if (synchronous) {
    flow.since_synchronous = 0;
    ++flow.synchronous;
    note(PMPI_Issend(piece.address, piece.count, piece.type, peer, tag, comm_, &request));
  } else {
    note(PMPI_Isend(piece.address, piece.count, piece.type, peer, tag, comm_, &request));
  }
  return request;
}

void Executor::wait_for_some() {
  requests_.wait_for_some(
      options_.stall_seconds, error_, [this] { look_for_other_calls(); },
      [this](const Posted& done, const MPI_Status& status, bool has_code) {
        complete(done, status, has_code);
      });
}

void Executor::complete(const Posted& done, const MPI_Status& status, bool has_code) {
  const Lane& lane = call_->program->lanes[done.lane];
  if (has_code) note(status.MPI_ERROR);
  if (!lane.sends && error_ == MPI_SUCCESS) {
    if (received_bytes(status) != done.bytes) note(MPI_ERR_TRUNCATE);
  }
  if (done.synchronous) --lanes_[done.lane].flow->synchronous;
  if (done.is_part) --lanes_[done.lane].parts_under_way;
  if (error_ != MPI_SUCCESS) return;
  if (done.last) --lanes_[done.lane].under_way;
  if (--open_messages_[done.op] == 0) finish_op(done.op);
  pump(done.lane);
}

/// Nothing has come for long: perhaps others make another call, and we would wait for ever.
void Executor::look_for_another_call(int source) {
  int code = MPI_SUCCESS;
  const int mine = tags_.tag(calls_, call_->signature, 0);
  if (another_call_is_there(comm_, tags_, mine, source, code)) note(MPI_ERR_TRUNCATE);
  note(code);
}

void Executor::look_for_other_calls() {
  look_for_another_call(MPI_ANY_SOURCE);
  for (const Posted& posted : requests_.posted) {
    if (!posted.sends && error_ == MPI_SUCCESS)
      look_for_another_call(static_cast<int>(posted.peer));
  }
}

void Executor::give_up() {
  if (!requests_.handles.empty()) left_messages_ = true;
  requests_.give_up([](const Posted& posted) { return !posted.sends; });
  for (Flow& flow : flows_) flow.synchronous = 0;
}

void Executor::note(int code) {
  if (error_ == MPI_SUCCESS) error_ = code;
}

}  // namespace espalier::mpi
