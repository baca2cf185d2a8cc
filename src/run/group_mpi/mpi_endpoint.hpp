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
/// kReceives receives of kSlotBytes each are posted, whatever the number of groups and processes:
/// 64 KiB a process. Longer messages go in parts; MPI keeps the order between two processes, and
/// receives are taken in the order of their posting, so parts follow each other. Sends are started
/// at once and never waited for; but once kWindow of them are under way to one process, has_room()
/// asks messages to wait. So at most kWindow - 1, and the parts of one message, are. No thread:
/// messages are handed on inside progress() alone.
class MpiEndpoint : public group::Endpoint {
 public:
  static constexpr int kReceives = 16;
  static constexpr std::size_t kSlotBytes = 4096;
  static constexpr std::uint32_t kWindow = 16;
  using Deliver = std::function<void(const group::Message&)>;

  /// @param comm of its own; stays the caller's, who closes the endpoint before freeing it
  explicit MpiEndpoint(MPI_Comm comm);
  MpiEndpoint(const MpiEndpoint&) = delete;  // MPI knows where the buffers are
  MpiEndpoint& operator=(const MpiEndpoint&) = delete;
  ~MpiEndpoint() override = default;

  [[nodiscard]] group::Id self() const override { return self_; }
  void send(group::Id to, group::Message message) override;
  [[nodiscard]] bool has_room(group::Id to) const override;

  /// Hands over all that is there. @return whether there was something
  bool progress(const Deliver& deliver);
  /// Waits for the sends under way and takes the receives back.
  /// @pre nobody will send to this process any more
  void close();

  /// Sends that MPI has not finished yet.
  [[nodiscard]] std::size_t sends_under_way() const { return sends_.size(); }
  /// The most that there ever were.
  [[nodiscard]] std::size_t most_sends_under_way() const { return most_sends_; }
  [[nodiscard]] std::uint64_t messages_sent() const { return sent_; }
  /// Of the first call of MPI that went wrong; nothing is sent after it.
  [[nodiscard]] int error() const { return error_; }

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
  void take(group::Id from, std::span<const std::byte> bytes, const Deliver& deliver);

  MPI_Comm comm_;
  group::Id self_ = 0;
  int error_ = MPI_SUCCESS;
  std::vector<Slot> receives_;
  std::size_t oldest_ = 0;
  std::vector<Slot> sends_;
  std::map<group::Id, std::uint32_t> under_way_to_;  // how many of them; none: not there
  std::size_t next_to_test_ = 0, most_sends_ = 0;
  std::deque<group::Message> to_self_;
  std::map<group::Id, Partial> partial_;
  std::uint64_t sent_ = 0;
};

}  // namespace espalier::group_mpi
