#pragma once

#include <deque>
#include <functional>
#include <span>

#include "mpi/block_message.hpp"
#include "mpi/executor.hpp"
#include "runtime/role_header.hpp"

namespace espalier::mpi {

/// A call along a tree that only its root knows.
struct RoleCall {
  std::uint64_t signature = 0;                     ///< as of BlockExecution
  std::function<runtime::PeerLink(Rank)> link_to;  ///< the same at both ends
  BlockBuffers* buffers = nullptr;                 ///< of scatters
};

/// Runs scatters, and tells trees, along a tree that only its root knows: a message says to whom
/// its receiver passes on what (runtime/role_header.hpp), and receivers take it from any rank.
/// Ranks without data get none, and wait for none.
///
/// With Executor and BlockExecutor it shares the communicator and the numbers of calls.
class RoleExecutor {
 public:
  /// @param channel the executor of the same communicator, which must outlive it
  RoleExecutor(Executor& channel, const SelfLane& self, Rank size, runtime::Tags tags,
               const ExecutorOptions& options);
  ~RoleExecutor() { give_up(); }
  RoleExecutor(const RoleExecutor&) = delete;
  RoleExecutor& operator=(const RoleExecutor&) = delete;

  /// At the root. @return an MPI error code; so of all that follow
  [[nodiscard]] int scatter(runtime::Roles roles, const RoleCall& call);
  /// Elsewhere. A block that is longer than the user's place for it is an error, but found out only
  /// after everything was passed on. @pre this rank expects some data
  [[nodiscard]] int receive(const RoleCall& call);

  /// Tells all ranks of a tree about it, at its root: begins to; it ends with finish_telling(). The
  /// call has the next number but one, as if it followed the call to come.
  void begin_telling(runtime::Roles roles, const RoleCall& call);
  [[nodiscard]] int finish_telling();
  /// Elsewhere, after the call that it is told behind: who told, and this rank's own part.
  struct Told {
    Rank by = 0;
    std::vector<runtime::RoleEntry> roles;
  };
  [[nodiscard]] int hear(const RoleCall& call, Told& told);

 private:
  struct Flow {
    std::uint64_t since_synchronous = 0;
  };
  struct Head {
    Rank source = 0;
    runtime::RoleHeader header;
    std::vector<std::byte> data;  // if it came along
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
  std::vector<Flow> flows_;  // to each rank
  std::vector<std::byte> head_;

  // Of the call that runs.
  int error_ = MPI_SUCCESS;
  std::deque<Parcel> parcels_;
  std::vector<MPI_Request> requests_;
  std::vector<std::uint64_t> expected_;  // bytes of each that receives; kSent of others
  std::vector<MPI_Status> statuses_;
  std::vector<Memory> staged_;
  bool overflowed_ = false;
  std::uint64_t telling_signature_ = 0;
  /// After an error: MPI may still read their memory.
  struct Abandoned {
    std::deque<Parcel> parcels;
    std::vector<Memory> staged;
    std::vector<std::byte> head;
  };
  std::deque<Abandoned> abandoned_;
};

}  // namespace espalier::mpi
