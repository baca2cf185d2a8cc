#pragma once

#include <deque>
#include <functional>
#include <span>

#include "mpi/block_message.hpp"
#include "mpi/executor.hpp"
#include "runtime/role_header.hpp"

namespace espalier::mpi {

/// What a RoleExecutor needs to know of a call, at every rank.
struct RoleCall {
  std::uint64_t signature = 0;                     ///< signature of the call in its messages' tags
  std::function<runtime::PeerLink(Rank)> link_to;  ///< link to a rank; both ends must get the same
  BlockBuffers* buffers = nullptr;                 ///< the user's blocks; only for scatters
};

/// Runs a scatterv whose tree only the root knows, and can announce a tree to all ranks.
///
/// How a scatterv runs:
///   1. The root calls scatter() with its tree. Each child gets one message: the child's sub-tree
///      (runtime/role_header.hpp) and the data for all ranks in it.
///   2. Every other rank that expects data calls receive(). It takes that message from any rank,
///      keeps its own block and passes each sub-tree on.
///   3. Ranks without data get no message and call nothing.
///
/// How a tree is announced, behind a call of all ranks:
///   1. Before that call the root calls begin_telling().
///   2. All ranks run the call.
///   3. The root calls finish_telling(); all others call hear(), and pass the tree on.
///
/// Only CountedTrees uses it. It shares the communicator and the numbers of calls with Executor and
/// BlockExecutor: each of scatter(), receive(), finish_telling() and hear() counts as one call.
/// The four return an MPI error code.
class RoleExecutor {
 public:
  /// @param channel the Executor of the same communicator, which must outlive this object
  RoleExecutor(Executor& channel, const SelfLane& self, Rank size, runtime::Tags tags,
               const ExecutorOptions& options);
  ~RoleExecutor() { give_up(); }
  RoleExecutor(const RoleExecutor&) = delete;
  RoleExecutor& operator=(const RoleExecutor&) = delete;

  /// The root's part of a scatterv.
  /// @param roles the whole tree, the root first
  [[nodiscard]] int scatter(runtime::Roles roles, const RoleCall& call);
  /// Another rank's part of a scatterv. If its block is longer than the user's buffer, the result
  /// is MPI_ERR_TRUNCATE, after everything was passed on. @pre this rank expects some data
  [[nodiscard]] int receive(const RoleCall& call);

  /// The root begins to announce a tree. The messages bear the number of the call after the next
  /// one: the announcement ends behind the next call.
  void begin_telling(runtime::Roles roles, const RoleCall& call);
  [[nodiscard]] int finish_telling();
  /// What a rank learns of an announced tree.
  struct Told {
    Rank by = 0;                            ///< this rank's parent in the tree
    std::vector<runtime::RoleEntry> roles;  ///< this rank's sub-tree, itself first
  };
  /// Another rank's part of an announcement, after the call that it ends behind.
  [[nodiscard]] int hear(const RoleCall& call, Told& told);

 private:
  struct Flow {
    std::uint64_t since_synchronous = 0;  // bytes sent since the last synchronous message
  };
  struct Head {
    Rank source = 0;
    runtime::RoleHeader header;
    std::vector<std::byte> data;  // the blocks' data; empty if it comes in a message of its own
  };

  void send(runtime::Roles roles, std::span<const BlockView> blocks, std::uint64_t number,
            const RoleCall& call);
  void pass_on(runtime::Roles roles, std::span<const BlockView> blocks, std::uint64_t number,
               const RoleCall& call);
  void post(const Piece& piece, Rank to, int tag, bool synchronous);
  [[nodiscard]] Head take_head(const RoleCall& call);
  [[nodiscard]] Head receive_head(const RoleCall& call);
  void receive_data(const Head& head, std::span<const Segment> places, const RoleCall& call);
  void put_own(const BlockView& own, const BlockPlace& place);
  void wait_for_all(const RoleCall& call);
  int end_call();
  void give_up();
  void note(int code) {
    if (error_ == MPI_SUCCESS) error_ = code;
  }

  Executor& channel_;
  SelfLane self_;
  Rank size_;
  runtime::Tags tags_;
  ExecutorOptions options_;
  std::vector<Flow> flows_;      // one for each receiving rank
  std::vector<std::byte> head_;  // buffer that heads are received into

  // State of the call that runs.
  int error_ = MPI_SUCCESS;
  std::deque<Parcel> parcels_;
  std::vector<MPI_Request> requests_;
  std::vector<std::uint64_t> expected_;  // for each request, bytes to receive; kSent for sends
  std::vector<MPI_Status> statuses_;
  std::vector<Memory> staged_;
  bool overflowed_ = false;  // the own block was longer than the user's buffer
  std::uint64_t telling_signature_ = 0;
  /// Memory of calls that failed, which MPI may still read.
  struct Abandoned {
    std::deque<Parcel> parcels;
    std::vector<Memory> staged;
    std::vector<std::byte> head;
  };
  std::deque<Abandoned> abandoned_;
};

}  // namespace espalier::mpi
