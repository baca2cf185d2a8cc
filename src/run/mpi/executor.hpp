#pragma once

#include <cstdint>
#include <vector>

#include "mpi/late_agreement.hpp"
#include "mpi/local_steps.hpp"
#include "mpi/piece.hpp"
#include "mpi/polling.hpp"
#include "mpi/requests.hpp"
#include "runtime/prepared.hpp"
#include "runtime/tags.hpp"

namespace espalier::mpi {

/// Messages and bytes that left this rank over the channels of one level.
struct LevelCount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// Bytes that an empty message takes at its receiver, roughly.
inline constexpr std::uint64_t kEnvelopeBytes = 256;

/// Bytes that a receive of MPI_BYTE or of whole elements brought.
[[nodiscard]] inline std::uint64_t received_bytes(const MPI_Status& status) {
#if defined(OPEN_MPI_BUILD)
  return status._ucount;  // MPI_Get_count costs a tenth of a short call
#else
  int bytes = 0;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  return static_cast<std::uint64_t>(bytes);
#endif
}

/// Synchronous messages to one peer that may be under way at once.
inline constexpr std::uint32_t kSynchronousUnderWay = 2;

struct ExecutorOptions {
  std::uint32_t send_window = 256;  ///< messages under way to each rank; receives are not bounded
  /// Bytes to one rank after which the next message to it is synchronous. At most two synchronous
  /// messages are under way, so a late receiver holds at most twice this from one sender.
  std::uint64_t synchronous_after = std::uint64_t{4} << 20U;
  /// How many of several messages to one rank are under way at a time; they are synchronous then.
  /// 0: no such limit. For networks without connections (SMPI): there messages that leave together
  /// share the link and arrive together, and nothing would be pipelined.
  std::uint32_t window_of_parts = 0;
  std::uint64_t max_piece_bytes = kMaxPieceBytes;
  double stall_seconds = 1;  ///< time without progress before looking for messages of other calls
};

/// One call, as an executor needs it.
struct Execution {
  const runtime::PreparedProgram* program = nullptr;
  ElementBuffers buffers;
  Reduction reduction;
  std::uint64_t signature = 0;  ///< the call's signature; ranks with different ones get an error
};

/// Runs programs over one communicator of its own, one after the other.
///
/// Everything is non-blocking. All steps that wait for nothing are under way, sends within a window
/// for each rank. While it waits, it polls MPI.
class Executor {
 public:
  Executor(MPI_Comm comm, int rank, int size, runtime::Tags tags, const ExecutorOptions& options);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// @return an MPI error code; after an error the messages of this call are given up
  [[nodiscard]] int run(const Execution& execution);

  /// Whether messages of a call that failed may still be under way: their memory must stay.
  [[nodiscard]] bool left_messages() const { return left_messages_; }

  /// What this rank has sent, by level.
  [[nodiscard]] const std::vector<LevelCount>& sent() const { return sent_; }

  /// The number of the next call, which stands in the tags of its messages. BlockExecutor and
  /// RoleExecutor run calls on the same communicator: they use it, then skip_call(), and
  /// count_sent().
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  void skip_call() {
    if ((++calls_ & pace_mask_) == 0) keep_pace();
  }
  /// Leaves the allreduce that is under way behind, since others may never take part.
  void abandon_pace() { pace_.abandon(); }
  void count_sent(std::uint32_t level, std::uint64_t bytes) {
    if (level >= sent_.size()) sent_.resize(level + 1);
    ++sent_[level].messages;
    sent_[level].bytes += bytes;
  }

 private:
  struct Flow {
    std::uint64_t since_synchronous = 0;
    std::uint32_t synchronous = 0;  // synchronous messages under way
  };
  struct LaneState {
    std::vector<std::uint32_t> ready;  // messages that may be posted, but for the window
    std::size_t next = 0;              // next entry of `ready`
    std::uint32_t under_way = 0;
    std::uint32_t parts_under_way = 0;  // messages under way that count in window_of_parts
    Flow* flow = nullptr;               // flow to the peer; only for lanes that send
  };
  struct Posted {
    std::uint32_t lane = 0;
    std::uint32_t op = 0;
    Rank peer = 0;
    bool sends = false;
    bool last = true;  // it is the last piece of its message
    bool synchronous = false;
    bool is_part = false;  // it counts in window_of_parts
    std::uint64_t bytes = 0;
  };

  void run_all_at_once();
  void run_one_by_one();
  [[nodiscard]] bool is_short() const;
  MPI_Request start_receive(Rank peer, const Piece& piece, std::uint32_t message_tag);
  /// @param synchronous whether it must be; then whether it is
  MPI_Request start_send(Rank peer, const Piece& piece, std::uint32_t message_tag,
                         bool& synchronous);
  template <typename Done, typename Stalled>
  void poll(Done done, Stalled stalled) {
    mpi::poll(
        options_.stall_seconds, [&] { return done() || error_ != MPI_SUCCESS; }, stalled);
  }
  void send_now(const runtime::SequentialStep& step, std::uint32_t index);
  void receive_now(const runtime::SequentialStep& step);
  void wait_for_sends_before(std::uint32_t op);
  void wait_for_sends();
  void keep_pace();
  void begin();
  void open_lane(std::uint32_t lane);
  [[nodiscard]] bool done() const { return open_ops_ == 0; }
  void make_ready(std::uint32_t op);
  void finish_op(std::uint32_t op);
  void run_local_steps();
  void pump(std::uint32_t lane);
  [[nodiscard]] bool is_part(const runtime::Lane& lane) const;
  [[nodiscard]] bool is_full(std::uint32_t lane) const;
  void post(std::uint32_t lane, const runtime::Message& message);
  void post_piece(std::uint32_t lane, const runtime::Message& message, const Piece& piece);
  void wait_for_some();
  void complete(const Posted& done, const MPI_Status& status, bool has_code);
  void look_for_another_call(int source);
  void look_for_other_calls();
  void give_up();
  void note(int code);

  MPI_Comm comm_;
  int rank_;
  runtime::Tags tags_;
  ExecutorOptions options_;
  std::uint64_t calls_ = 0;
  std::uint64_t pace_mask_;
  LateAgreement pace_;
  bool keeps_pace_ = false;
  bool left_messages_ = false;
  std::vector<Flow> flows_;  // one for each receiving rank
  std::vector<LevelCount> sent_;

  // State of the call that runs; its memory is kept for the next one.
  const Execution* call_ = nullptr;
  int error_ = MPI_SUCCESS;
  std::uint64_t open_ops_ = 0;
  std::vector<std::uint32_t> waits_;
  std::vector<std::uint32_t> open_messages_;
  std::vector<LaneState> lanes_;
  std::vector<std::uint32_t> local_;  // steps to be done here
  std::size_t next_local_ = 0;
  Requests<Posted> requests_;
};

}  // namespace espalier::mpi
