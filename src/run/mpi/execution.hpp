#pragma once

#include <cstdint>
#include <vector>

#include "mpi/channel.hpp"
#include "mpi/payload.hpp"
#include "mpi/polling.hpp"
#include "mpi/requests.hpp"
#include "runtime/prepared.hpp"

namespace espalier::mpi {

/// One call that runs along a program, step by step. Several may be under way on one channel; they
/// begin in the order of their numbers, and each rank begins the same ones.
///
/// | state | step() | next |
/// |---|---|---|
/// | Idle | does nothing | Waiting, by begin() |
/// | Waiting | begins, once the channel lets calls of this number begin | Running |
/// | Running | takes what is complete, posts what may be posted, runs local steps | Done |
/// | Done | does nothing; code() is the result | Waiting, by begin() |
///
/// All steps that wait for nothing are under way, messages within a window: at most
/// ChannelOptions::window sends and as many receives. What others wait for may be beyond the
/// window, so it grows whenever nothing has happened for kIdleSteps steps: no program hangs by it.
/// Where finish() waits asleep (kPollsCostTime) it holds one message more for each rank instead.
///
/// A step costs O(1) plus O(1) for each message that it completes or posts; a call O(its steps and
/// messages).
class Execution {
 public:
  enum class State : std::uint8_t { Idle, Waiting, Running, Done };
  static constexpr std::uint32_t kIdleSteps = 256;

  explicit Execution(Channel& channel) : channel_(channel) {}
  /// Gives up what is under way: the payload's memory must stay then.
  ~Execution() { give_up(); }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// Begins a call. Program and payload must stay until it is done.
  /// @param number from Channel::take_number()
  /// @param signature of the call; ranks with different ones get an error
  /// @pre Idle or Done
  void begin(const runtime::PreparedProgram& program, Payload& payload, std::uint64_t number,
             std::uint64_t signature);
  /// Goes on as far as it can without waiting. @return whether something happened
  bool step();
  /// Steps this call, and all others that are under way on the channel, until this one is done.
  /// @return code()
  int finish();

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool is_done() const { return state_ == State::Done || state_ == State::Idle; }
  /// MPI's error code. After an error the messages of this call are given up.
  [[nodiscard]] int code() const { return error_; }
  /// Whether messages of a call that failed may still be under way: their memory must stay.
  [[nodiscard]] bool left_messages() const { return left_messages_; }

  /// For calls that do not block: whether ranks make different calls, of which this one would wait
  /// for ever. It ends with an error if a message of this call has come under another signature, or
  /// if a rank has told that it gave this call up (Channel::tell_failure). Never waits.
  void look_for_mismatch();
  /// Whether this call failed since another rank told so.
  [[nodiscard]] bool was_told() const { return was_told_; }

  // For payloads.
  [[nodiscard]] Channel& channel() { return channel_; }
  [[nodiscard]] const runtime::PreparedProgram& program() const { return *program_; }
  [[nodiscard]] const runtime::Lane& lane_of(std::uint32_t message) const {
    return program_->lanes[program_->messages[message].lane];
  }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// The MPI tag of a message of this call.
  [[nodiscard]] int tag(std::uint32_t message_tag) const {
    return channel_.tags().tag(number_, signature_, message_tag);
  }
  [[nodiscard]] std::uint64_t signature() const { return signature_; }
  /// Starts a part of a message, to or from the rank of its lane.
  void send(std::uint32_t message, const Piece& piece, int tag, std::uint32_t slot = 0);
  void receive(std::uint32_t message, const Piece& piece, int tag, std::uint32_t slot = 0);
  void note(int code) {
    if (error_ == MPI_SUCCESS) error_ = code;
  }

 private:
  struct LaneState {
    std::uint64_t call = 0;             // call that the rest is about: nothing is cleared before
    std::vector<std::uint32_t> parked;  // messages that wait for others to the same rank
    std::size_t next = 0;               // next entry of `parked`
    std::uint32_t under_way = 0;        // parts under way that count in parts_under_way
    bool is_listed = false;             // it is one of parked_lanes_
  };
  /// Messages in the order in which they became ready.
  struct Queue {
    std::vector<std::uint32_t> messages;
    std::size_t next = 0;
    [[nodiscard]] bool empty() const { return next == messages.size(); }
    std::uint32_t take() {
      const std::uint32_t first = messages[next++];
      if (empty()) clear();
      return first;
    }
    void clear() {
      messages.clear();
      next = 0;
    }
  };

  void start();
  [[nodiscard]] std::uint32_t first_window() const;
  void make_ready(std::uint32_t op);
  void finish_op(std::uint32_t op);
  void run_local_steps();
  void post_queued();
  void post(std::uint32_t message);
  [[nodiscard]] std::uint64_t counted_bytes(const runtime::Lane& lane) const;
  void send_or_park(std::uint32_t message);
  void unpark(std::uint32_t lane);
  void unpark_all();
  [[nodiscard]] std::uint32_t tag_in_plan(std::uint32_t message) const {
    return program_->messages[message].tag;
  }
  LaneState& state_of(std::uint32_t lane);
  [[nodiscard]] bool is_part(std::uint32_t lane) const;
  [[nodiscard]] bool is_full(std::uint32_t lane);
  void complete(const Part& part, const MPI_Status& status, bool has_code);
  bool take_completed();
  void widen_when_idle();
  void end_if_over();
  void look_for_other_calls(Suspicion& suspicion);
  void give_up();

  Channel& channel_;
  State state_ = State::Idle;
  bool left_messages_ = false;
  bool was_told_ = false;
  std::uint64_t begun_ = 0;  // calls begun here: what LaneState::call is compared with

  // The call that runs; memory is kept for the next one.
  const runtime::PreparedProgram* program_ = nullptr;
  Payload* payload_ = nullptr;
  std::uint64_t number_ = 0;
  std::uint64_t signature_ = 0;
  int error_ = MPI_SUCCESS;
  std::uint64_t open_ops_ = 0;
  std::vector<std::uint32_t> waits_;
  std::vector<std::uint32_t> open_;  // for each op, messages and parts that are still to end
  std::vector<LaneState> lanes_;
  std::vector<std::uint32_t> parked_lanes_;
  std::uint64_t confirmed_ = 0;  // Channel::confirmed() when parked lanes were looked at last
  Queue receives_, sends_, local_;
  std::uint32_t receives_under_way_ = 0, sends_under_way_ = 0;
  std::uint32_t window_ = 0;
  std::uint32_t idle_ = 0;  // steps since something happened
  Requests<Part> requests_;
};

}  // namespace espalier::mpi
