#pragma once

#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "group/endpoint.hpp"
#include "mpi/mpi_api.hpp"

namespace espalier::group_mpi {

/// The groups' messages over one communicator that nobody else uses.
///
/// Receives: kReceives of kSlotBytes each are posted, whatever the number of groups and processes
/// (64 KiB a process). Longer messages go in parts. Parts follow each other, since MPI keeps the
/// order between two processes and receives are taken in the order of their posting.
///
/// Sends are started at once and never waited for. But once kWindow sends are under way to one
/// process, has_room() says no. So at most kWindow - 1 sends, and the parts of one message, are.
///
/// There is no thread: messages are delivered inside progress() only.
class MpiEndpoint : public group::Endpoint {
 public:
  static constexpr int kReceives = 16;
  static constexpr std::size_t kSlotBytes = 4096;
  static constexpr std::uint32_t kWindow = 16;
  using Deliver = std::function<void(const group::Message&)>;

  /// @param comm used by nobody else; the caller frees it, after close()
  explicit MpiEndpoint(MPI_Comm comm);
  MpiEndpoint(const MpiEndpoint&) = delete;  // MPI knows where the buffers are
  MpiEndpoint& operator=(const MpiEndpoint&) = delete;
  ~MpiEndpoint() override = default;

  [[nodiscard]] group::Id self() const override { return self_; }
  void send(group::Id to, group::Message message) override;
  [[nodiscard]] bool has_room(group::Id to) const override;
  /// As MPI has it for lengths that differ: the communicator's error handler, then error().
  void refuse_call() override;

  /// Delivers all messages that have come. @return whether there were any
  bool progress(const Deliver& deliver);
  /// Waits for the sends under way and takes the receives back. After an error nothing is waited
  /// for: the buffers are left to MPI, which may still write to them.
  /// @pre nobody will send to this process any more
  void close();
  /// Leaves the buffers to MPI without a call of it.
  void leave();

  /// Sends that MPI has not finished yet.
  [[nodiscard]] std::size_t sends_under_way() const { return sends_.size(); }
  /// The most sends that were under way at a time.
  [[nodiscard]] std::size_t most_sends_under_way() const { return most_sends_; }
  [[nodiscard]] std::uint64_t messages_sent() const { return sent_; }
  /// The code of the first MPI call that failed; nothing is sent after it.
  [[nodiscard]] int error() const { return error_; }
  /// The code of a call of MPI on behalf of the groups: the first that is an error stays.
  void note(int code) { ok(code); }

 private:
  struct Slot {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<std::byte> bytes;
    group::Id to = group::kNobody;  // receiver of a send
  };
  /// A message of which parts are still to come.
  struct Partial {
    group::Message message;
    std::uint32_t missing = 0;  // words
  };

  bool ok(int code);
  void post(Slot& slot);
  void start_send(group::Id to, std::vector<std::byte> bytes);
  void reap();
  void abandon();
  void take(group::Id from, std::span<const std::byte> bytes, const Deliver& deliver);

  MPI_Comm comm_;
  group::Id self_ = 0;
  int error_ = MPI_SUCCESS;
  std::vector<Slot> receives_;
  std::size_t oldest_ = 0;
  std::vector<Slot> sends_;
  std::map<group::Id, std::uint32_t> under_way_to_;  // sends under way to each process
  std::size_t next_to_test_ = 0, most_sends_ = 0;
  std::deque<group::Message> to_self_;
  std::map<group::Id, Partial> partial_;
  std::uint64_t sent_ = 0;
};

}  // namespace espalier::group_mpi
