#pragma once

#include <deque>
#include <optional>

#include "mpi/block_message.hpp"
#include "mpi/executor.hpp"

namespace espalier::mpi {

/// One call of blocks, as its executor needs it.
struct BlockExecution {
  const runtime::PreparedProgram* program = nullptr;
  BlockBuffers buffers;
  std::uint64_t signature = 0;  ///< the call's signature; ranks with different ones get an error
};

/// Runs programs of irregular calls, in which a unit is a whole block: sends, receives and copies.
///
/// A message is a header with the lengths of its blocks (runtime/block_header.hpp) and their data,
/// together in one MPI message if that is short, else one after the other. So the receiver always
/// knows how much comes: nothing is probed for. The header has tag 2 t, the data 2 t + 1, for tag t
/// of the plan.
///
/// As Executor, with which it shares the communicator and the numbers of calls: whatever waits for
/// nothing is under way, sends within a window and synchronous now and then.
class BlockExecutor {
 public:
  /// @param channel the executor of the same communicator, which must outlive it
  BlockExecutor(Executor& channel, const SelfLane& self, int size, runtime::Tags tags,
                const ExecutorOptions& options);
  ~BlockExecutor() { give_up(); }
  BlockExecutor(const BlockExecutor&) = delete;
  BlockExecutor& operator=(const BlockExecutor&) = delete;

  /// @return an MPI error code. A block that is longer than the user's place for it is one, but
  /// found out only after everything was passed on, so that nobody waits for us.
  [[nodiscard]] int run(BlockExecution execution);

 private:
  struct Flow {
    std::uint64_t since_synchronous = 0;
    std::uint32_t synchronous = 0;  // synchronous messages under way
  };
  struct LaneState {
    std::vector<std::uint32_t> ready;  // messages that may be posted, but for the window
    std::size_t next = 0;              // next entry of `ready`
    std::uint32_t under_way = 0;
  };
  /// A message of the plan that is under way.
  struct Transfer {
    std::uint32_t lane = 0;
    const runtime::Message* message = nullptr;
    std::uint32_t open = 0;  // MPI messages under way
    bool is_head = false;    // a receive whose header is still to come
    Parcel parcel;           // what is sent; for receives the head, while it comes
    std::vector<std::uint64_t> lengths;
    Arrival arrival;
  };
  struct Posted {
    std::uint32_t transfer = 0;
    bool synchronous = false;
    std::uint64_t bytes = 0;  // bytes that a data part must bring
  };

  void begin();
  void make_ready(std::uint32_t op);
  void finish_op(std::uint32_t op);
  void run_copies();
  void pump(std::uint32_t lane);
  void send(std::uint32_t transfer);
  void send_piece(std::uint32_t transfer, const Piece& piece, int tag, bool synchronous);
  void receive_head(std::uint32_t transfer);
  void open_head(std::uint32_t transfer, std::uint64_t bytes);
  void receive_rest(std::uint32_t transfer);
  void finish_transfer(std::uint32_t transfer);
  void wait_for_some();
  void complete(const Posted& done, const MPI_Status& status, bool has_code);
  void give_up();
  void note(int code) {
    if (error_ == MPI_SUCCESS) error_ = code;
  }
  [[nodiscard]] const runtime::Lane& lane_of(const Transfer& transfer) const {
    return call_->program->lanes[transfer.lane];
  }
  [[nodiscard]] int head_tag(const Transfer& t) const {
    return tags_.tag(channel_.calls(), call_->signature, 2 * t.message->tag);
  }
  [[nodiscard]] int rest_tag(const Transfer& t) const {
    return tags_.tag(channel_.calls(), call_->signature, 2 * t.message->tag + 1);
  }

  Executor& channel_;
  SelfLane self_;
  runtime::Tags tags_;
  ExecutorOptions options_;
  std::vector<Flow> flows_;  // one for each receiving rank

  // State of the call that runs.
  const BlockExecution* call_ = nullptr;
  std::optional<BlockStore> store_;
  int error_ = MPI_SUCCESS;
  std::uint64_t open_ops_ = 0;
  std::vector<std::uint32_t> waits_;
  std::vector<std::uint32_t> open_messages_;
  std::vector<LaneState> lanes_;
  std::vector<std::uint32_t> copies_;  // copy steps that may run
  std::size_t next_copy_ = 0;
  std::deque<Transfer> transfers_;
  Requests<Posted> requests_;
  /// Memory of calls that failed, which MPI may still read.
  struct Abandoned {
    std::deque<Transfer> transfers;
    BlockStore store;
  };
  std::deque<Abandoned> abandoned_;
};

}  // namespace espalier::mpi
