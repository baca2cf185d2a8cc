#include "mpi/execution.hpp"

#include <utility>

#include "mpi/wire.hpp"

namespace espalier::mpi {

using runtime::Lane;
using runtime::PreparedProgram;
using schedule::OpKind;

void Execution::begin(const PreparedProgram& program, Payload& payload, std::uint64_t number,
                      std::uint64_t signature) {
  program_ = &program;
  payload_ = &payload;
  number_ = number;
  signature_ = signature;
  error_ = MPI_SUCCESS;
  left_messages_ = false;
  was_told_ = false;
  state_ = State::Waiting;
  channel_.add(*this);
  if (channel_.may_begin(number)) start();
}

void Execution::start() {
  state_ = State::Running;
  ++begun_;
  open_ops_ = program_->waits.size();
  waits_ = program_->waits;
  open_ = program_->message_count;
  if (lanes_.size() < program_->lanes.size()) lanes_.resize(program_->lanes.size());
  parked_lanes_.clear();
  confirmed_ = channel_.confirmed();
  window_ = first_window();
  idle_ = 0;
  // Receives first: nothing of a long message flows before its receive is there, and sending takes
  // time.
  for (const bool receives : {true, false}) {
    for (std::uint32_t op = 0; op < program_->waits.size(); ++op) {
      const bool is_receive = program_->program.ops[op].kind == OpKind::Recv;
      if (program_->waits[op] == 0 && is_receive == receives) make_ready(op);
    }
  }
  run_local_steps();
  end_if_over();
}

bool Execution::step() {
  if (state_ == State::Waiting) {
    if (!channel_.may_begin(number_)) return false;
    start();
    return true;
  }
  if (state_ != State::Running) return false;
  const bool has_moved = take_completed();
  if (!parked_lanes_.empty() && confirmed_ != channel_.confirmed()) unpark_all();
  if (!has_moved) {
    if (error_ == MPI_SUCCESS) widen_when_idle();
  } else {
    idle_ = 0;
    run_local_steps();
  }
  end_if_over();
  return has_moved;
}

int Execution::finish() {
  while (!is_done()) {
    if constexpr (kPollsCostTime) {
      channel_.wait_to_begin(number_);
      if (state_ == State::Waiting) start();
      if (is_done()) break;
      if (requests_.empty()) note(MPI_ERR_INTERN);  // no verified program
      const auto act = [this](const Part& part, const MPI_Status& status, bool has_code) {
        complete(part, status, has_code);
      };
      if (error_ == MPI_SUCCESS) requests_.wait(error_, act);
      run_local_steps();
      end_if_over();
    } else {
      poll(
          channel_.options().stall_seconds,
          [this] {
            const bool has_moved = step();
            const bool others_have =
                channel_.step_pending ? channel_.step_pending() : channel_.step_others(*this);
            return others_have || has_moved || is_done();
          },
          [this](Suspicion& suspicion) { look_for_other_calls(suspicion); });
    }
  }
  return error_;
}

bool Execution::take_completed() {
  if (requests_.empty() && parked_lanes_.empty()) note(MPI_ERR_INTERN);  // no verified program
  return requests_.test(error_, [this](const Part& part, const MPI_Status& status, bool has_code) {
    complete(part, status, has_code);
  });
}

/// Who is asleep until something happens cannot see that nothing does, and finish() never widens
/// the window there. So it holds a message for each other rank from the start: ranks go through the
/// others in different orders, and each of them may wait for what another one has last.
std::uint32_t Execution::first_window() const {
  const std::uint32_t window = channel_.options().window;
  return kPollsCostTime ? window + channel_.size() : window;
}

/// What this rank posted may wait for what it has not posted yet.
void Execution::widen_when_idle() {
  if (++idle_ % kIdleSteps != 0 || (receives_.empty() && sends_.empty())) return;
  window_ += channel_.options().window;
  post_queued();
}

void Execution::end_if_over() {
  if (state_ != State::Running) return;
  if (error_ != MPI_SUCCESS) {
    give_up();
  } else if (open_ops_ > 0) {
    return;
  }
  channel_.remove(*this);
  state_ = State::Done;
}

void Execution::make_ready(std::uint32_t op) {
  const OpKind kind = program_->program.ops[op].kind;
  if (kind == OpKind::Reduce || kind == OpKind::Copy) return local_.messages.push_back(op);
  if (open_[op] == 0) return finish_op(op);
  Queue& queue = kind == OpKind::Send ? sends_ : receives_;
  const auto messages = program_->messages_of(op);
  queue.messages.insert(queue.messages.end(), messages.begin(), messages.end());
  post_queued();
}

void Execution::finish_op(std::uint32_t op) {
  --open_ops_;
  for (const std::uint32_t next : program_->dependents_of(op)) {
    if (--waits_[next] == 0) make_ready(next);
  }
}

/// One by one, so that messages which a step sets free leave before the next step.
void Execution::run_local_steps() {
  while (!local_.empty() && error_ == MPI_SUCCESS) {
    const std::uint32_t op = local_.take();
    note(payload_->run_here(program_->program.ops[op]));
    finish_op(op);
  }
}

void Execution::post_queued() {
  while (!receives_.empty() && receives_under_way_ < window_ && error_ == MPI_SUCCESS) {
    post(receives_.take());
  }
  while (!sends_.empty() && sends_under_way_ < window_ && error_ == MPI_SUCCESS) {
    send_or_park(sends_.take());
  }
}

/// The parts that it is sent or received in take its place among what is still to end.
void Execution::post(std::uint32_t message) {
  payload_->start(*this, message);
  --open_[program_->messages[message].op];
}

void Execution::send_or_park(std::uint32_t message) {
  const std::uint32_t lane = program_->messages[message].lane;
  LaneState& state = state_of(lane);
  if (state.next == state.parked.size() && !is_full(lane)) return post(message);
  if (!std::exchange(state.is_listed, true)) parked_lanes_.push_back(lane);
  state.parked.push_back(message);
}

/// Sends what waited, as far as it may leave now.
void Execution::unpark(std::uint32_t lane) {
  LaneState& state = state_of(lane);
  while (state.next < state.parked.size() && !is_full(lane) && error_ == MPI_SUCCESS) {
    post(state.parked[state.next++]);
  }
}

void Execution::unpark_all() {
  confirmed_ = channel_.confirmed();
  std::erase_if(parked_lanes_, [this](std::uint32_t lane) {
    unpark(lane);
    LaneState& state = state_of(lane);
    if (state.next < state.parked.size()) return false;
    state = {state.call, {}, 0, state.under_way, false};
    return true;
  });
}

Execution::LaneState& Execution::state_of(std::uint32_t lane) {
  LaneState& state = lanes_[lane];
  if (state.call != begun_) {
    state = {begun_, {}, 0, 0, false};
  }
  return state;
}

/// Not short messages: whoever takes those one by one (short_run.cpp) may wait for a later one
/// first, which would never leave.
bool Execution::is_part(std::uint32_t index) const {
  constexpr std::uint64_t kShortBytes = 2048;
  const Lane& lane = program_->lanes[index];
  return channel_.options().parts_under_way != 0 && lane.sends && lane.count > 1 &&
         payload_->known_bytes(lane.first) > kShortBytes;
}

/// Whether the next message of a lane has to wait for others to the same rank.
bool Execution::is_full(std::uint32_t lane) {
  if (is_part(lane)) return state_of(lane).under_way >= channel_.options().parts_under_way;
  return !channel_.may_send_to(program_->lanes[lane].peer, number_);
}

/// What the messages of a lane are counted with by the channel, about.
std::uint64_t Execution::counted_bytes(const Lane& lane) const {
  constexpr std::uint64_t kPart = topology::kTransport.part_bytes;
  const std::uint64_t bytes = payload_->known_bytes(lane.first);
  return lane.count * (bytes + (bytes / kPart + 1) * kEnvelopeBytes);
}

void Execution::send(std::uint32_t message, const Piece& piece, int tag, std::uint32_t slot) {
  const std::uint32_t op = program_->messages[message].op;
  const std::uint32_t lane = program_->messages[message].lane;
  const Rank peer = program_->lanes[lane].peer;
  Part part{op, message, lane, slot, peer, true, false, piece.bytes};
  const bool is_one_of_several = is_part(lane);
  if (is_one_of_several) ++state_of(lane).under_way;
  const Lane& all = program_->lanes[lane];
  const bool is_early =
      message == all.first && channel_.is_due_within(peer, counted_bytes(all), all.link.fills);
  part.synchronous = channel_.count_unconfirmed(peer, number_, piece.bytes,
                                                is_one_of_several || is_early, all.link.fills);
  // Before it goes: on a busy machine the receiver may have it before this rank goes on.
  if (channel_.trace)
    channel_.trace({false, true, number_, op, tag_in_plan(message), peer, piece.bytes});
  MPI_Request request = MPI_REQUEST_NULL;
  note(start_send(piece, static_cast<int>(peer), tag, channel_.comm(), part.synchronous, &request));
  ++open_[op];
  ++sends_under_way_;
  requests_.add(request, part);
}

void Execution::receive(std::uint32_t message, const Piece& piece, int tag, std::uint32_t slot) {
  const std::uint32_t op = program_->messages[message].op;
  const Rank peer = lane_of(message).peer;
  MPI_Request request = MPI_REQUEST_NULL;
  note(PMPI_Irecv(piece.address, piece.count, piece.type, static_cast<int>(peer), tag,
                  channel_.comm(), &request));
  ++open_[op];
  ++receives_under_way_;
  requests_.add(request, {op, message, program_->messages[message].lane, slot, peer, false, false,
                          piece.bytes});
  if (channel_.trace)
    channel_.trace({false, false, number_, op, tag_in_plan(message), peer, piece.bytes});
}

void Execution::complete(const Part& part, const MPI_Status& status, bool has_code) {
  if (has_code) note(status.MPI_ERROR);
  --(part.sends ? sends_under_way_ : receives_under_way_);
  if (part.synchronous) {
    // Whoever else was confirmed since is looked at in the next step.
    if (confirmed_ == channel_.confirmed()) ++confirmed_;
    channel_.confirm(part.peer, number_);
    if (is_part(part.lane)) --state_of(part.lane).under_way;
  }
  if (error_ != MPI_SUCCESS) return;
  const std::uint64_t came = part.sends ? 0 : received_bytes(status);
  if (channel_.trace) {
    channel_.trace(
        {true, part.sends, number_, part.op, tag_in_plan(part.message), part.peer, part.bytes});
  }
  payload_->complete(*this, part, came);
  if (error_ != MPI_SUCCESS) return;
  if (--open_[part.op] == 0) finish_op(part.op);
  if (part.synchronous) unpark(part.lane);
  post_queued();
}

/// Nothing has come for long: perhaps others make another call, and we would wait for ever.
void Execution::look_for_other_calls(Suspicion& suspicion) {
  if (state_ != State::Running) return;
  const auto look = [&](int source) {
    note(look_for_another_call(channel_.comm(), channel_.tags(), tag(0), source, suspicion));
  };
  look(MPI_ANY_SOURCE);
  for (const Part& part : requests_.parts()) {
    // With several calls under way a message of a later one means nothing.
    if (part.sends || error_ != MPI_SUCCESS || channel_.has_several()) continue;
    look(static_cast<int>(part.peer));
  }
  end_if_over();
}

void Execution::look_for_mismatch() {
  if (state_ != State::Running) return;
  const runtime::Tags& tags = channel_.tags();
  int found = 0, code = MPI_SUCCESS;
  MPI_Status status;
  note(PMPI_Iprobe(MPI_ANY_SOURCE, tags.failure_tag(number_), channel_.comm(), &found, &status));
  was_told_ = found != 0;
  if (was_told_) note(MPI_ERR_TRUNCATE);
  const auto look = [&](int source) {
    if (error_ != MPI_SUCCESS) return;
    if (look_at_unexpected(channel_.comm(), tags, tag(0), source, code) ==
        Unexpected::OtherSignature) {
      note(MPI_ERR_TRUNCATE);
    }
    note(code);
  };
  look(MPI_ANY_SOURCE);
  for (const Part& part : requests_.parts()) {
    if (!part.sends) look(static_cast<int>(part.peer));
  }
  end_if_over();
}

void Execution::give_up() {
  channel_.remove(*this);
  if (!requests_.empty()) left_messages_ = true;
  for (const Part& part : requests_.parts()) {
    if (part.synchronous) channel_.confirm(part.peer, number_);
  }
  requests_.give_up([](const Part& part) { return !part.sends; });
  receives_.clear();
  sends_.clear();
  local_.clear();
  parked_lanes_.clear();
  receives_under_way_ = sends_under_way_ = 0;
}

}  // namespace espalier::mpi
