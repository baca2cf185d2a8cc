// Short calls: the steps of a program one by one, sends left behind. Nothing is kept about steps
// and lanes, which would cost more than the messages themselves.
#include <algorithm>
#include <array>

#include "mpi/element_payload.hpp"
#include "mpi/wire.hpp"

namespace espalier::mpi {
namespace {

using runtime::SequentialStep;
using schedule::OpKind;

class ShortRun {
 public:
  ShortRun(Channel& channel, const ElementCall& call, std::uint64_t number)
      : channel_(channel), call_(call), number_(number) {}

  int run() {
    const std::vector<SequentialStep>& steps = call_.program->steps;
    const schedule::Program& program = call_.program->program;
    for (std::uint32_t i = 0; i < steps.size() && error_ == MPI_SUCCESS; ++i) {
      const SequentialStep& step = steps[i];
      if (step.waits_for_send && sent_ > 0) wait_for_sends_before(i);
      if (step.kind == OpKind::Recv) {
        receive(step, i);
      } else if (step.kind == OpKind::Send) {
        send(step, i);
      } else {
        note(run_local_step(call_.buffers, program, program.ops[i], call_.reduction,
                            channel_.self(tag(0))));
      }
    }
    if (error_ == MPI_SUCCESS && sent_ > 0) wait_for_sends();
    if (error_ != MPI_SUCCESS) give_up();
    return error_;
  }
  [[nodiscard]] bool left_messages() const { return left_messages_; }

 private:
  /// Without initial values: what a call does not need is not written.
  struct Sent {
    std::uint32_t op;
    Rank peer;
    bool synchronous;
  };

  [[nodiscard]] int tag(std::uint32_t message) const {
    return channel_.tags().tag(number_, call_.signature, message);
  }
  void note(int code) {
    if (error_ == MPI_SUCCESS) error_ = code;
  }
  template <typename Done>
  void poll_until(Done done, int source = MPI_ANY_SOURCE) {
    poll(
        channel_.options().stall_seconds, [&] { return done() || error_ != MPI_SUCCESS; },
        [&](Suspicion& suspicion) {
          look(MPI_ANY_SOURCE, suspicion);
          if (source != MPI_ANY_SOURCE) look(source, suspicion);
        });
  }
  void look(int source, Suspicion& suspicion) {
    note(look_for_another_call(channel_.comm(), channel_.tags(), tag(0), source, suspicion));
  }

  void send(const SequentialStep& step, std::uint32_t index) {
    const Piece piece = slice_piece(call_.buffers, step.buffer, step.offset, step.length);
    channel_.count_sent(step.level, piece.bytes);
    const bool synchronous = channel_.count_unconfirmed(step.peer, number_, piece.bytes);
    const auto peer = static_cast<int>(step.peer);
    if (channel_.trace) tell(step, index, piece.bytes, false);
    if (index + 1 == call_.program->steps.size() && !synchronous) {
      // Nothing else is to be done here, and MPI sends short messages fastest when asked to wait.
      note(PMPI_Send(piece.address, piece.count, piece.type, peer, tag(step.tag), channel_.comm()));
      if (channel_.trace) tell(step, index, piece.bytes, true);
      return;
    }
    note(start_send(piece, peer, tag(step.tag), channel_.comm(), synchronous, &requests_[sent_]));
    about_[sent_++] = {index, step.peer, synchronous};
  }

  void receive(const SequentialStep& step, std::uint32_t index) {
    const Piece piece = slice_piece(call_.buffers, step.buffer, step.offset, step.length);
    const auto peer = static_cast<int>(step.peer);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    note(PMPI_Irecv(piece.address, piece.count, piece.type, peer, tag(step.tag), channel_.comm(),
                    &request));
    if (channel_.trace) tell(step, index, piece.bytes, false);
    poll_until(
        [&] {
          int completed = 0;
          note(PMPI_Test(&request, &completed, &status));
          return completed != 0;
        },
        peer);
    if (error_ == MPI_SUCCESS) {
      if (channel_.trace) tell(step, index, piece.bytes, true);
      if (received_bytes(status) != piece.bytes) note(MPI_ERR_TRUNCATE);
    } else if (request != MPI_REQUEST_NULL) {
      PMPI_Cancel(&request);
      PMPI_Request_free(&request);
      left_messages_ = true;
    }
  }

  /// Those only that the step waits for: others may be for ranks that want something of ours first.
  void wait_for_sends_before(std::uint32_t op) {
    const schedule::Program& program = call_.program->program;
    for (const std::uint32_t dep : program.deps_of(program.ops[op])) {
      for (std::uint32_t s = 0; s < sent_; ++s) {
        if (about_[s].op != dep || requests_[s] == MPI_REQUEST_NULL) continue;
        poll_until([&] {
          int completed = 0;
          note(PMPI_Test(&requests_[s], &completed, MPI_STATUS_IGNORE));
          return completed != 0;
        });
        if (error_ != MPI_SUCCESS) return;
        confirm(about_[s]);
      }
    }
  }

  void wait_for_sends() {
    poll_until([&] {
      int completed = 0;
      note(
          PMPI_Testall(static_cast<int>(sent_), requests_.data(), &completed, MPI_STATUSES_IGNORE));
      return completed != 0;
    });
    if (error_ != MPI_SUCCESS) return;
    for (std::uint32_t s = 0; s < sent_; ++s) confirm(about_[s]);
    sent_ = 0;
  }

  void tell(const SequentialStep& step, std::uint32_t index, std::uint64_t bytes, bool ends) {
    channel_.trace({ends, step.kind == OpKind::Send, number_, index, step.tag, step.peer, bytes});
  }

  /// Of a send that was left behind; once, though it may be confirmed again.
  void tell_end(Sent& sent) {
    constexpr auto kTold = static_cast<std::uint32_t>(runtime::kMostSequentialSteps);
    if (sent.op == kTold) return;
    const SequentialStep& step = call_.program->steps[sent.op];
    tell(step, sent.op, step.length * call_.buffers.bytes_per_unit(), true);
    sent.op = kTold;
  }

  void confirm(Sent& sent) {
    if (channel_.trace) tell_end(sent);
    if (std::exchange(sent.synchronous, false)) channel_.confirm(sent.peer, number_);
  }

  void give_up() {
    for (std::uint32_t s = 0; s < sent_; ++s) {
      confirm(about_[s]);
      if (requests_[s] == MPI_REQUEST_NULL) continue;
      PMPI_Request_free(&requests_[s]);
      left_messages_ = true;
    }
  }

  Channel& channel_;
  const ElementCall& call_;
  std::uint64_t number_;
  int error_ = MPI_SUCCESS;
  bool left_messages_ = false;
  std::uint32_t sent_ = 0;
  std::array<MPI_Request, runtime::kMostSequentialSteps> requests_;  // of sends left behind
  std::array<Sent, runtime::kMostSequentialSteps> about_;
};

}  // namespace

bool is_short(const ElementCall& call) {
  constexpr std::uint64_t kShortBytes = 2048;
  // Where polls cost time, waiting for one message while another is there costs more than is saved.
  return !kPollsCostTime && !call.program->steps.empty() &&
         call.program->longest * call.buffers.bytes_per_unit() <= kShortBytes;
}

int run_short(Channel& channel, const ElementCall& call, std::uint64_t number,
              bool& left_messages) {
  channel.wait_to_begin(number);
  ShortRun run(channel, call, number);
  const int code = run.run();
  left_messages = run.left_messages();
  return code;
}

}  // namespace espalier::mpi
