#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "discover/seen_machine.hpp"
#include "mpi/kept_file.hpp"
#include "mpi/late_agreement.hpp"
#include "runtime/account.hpp"

namespace espalier::mpi {

/// Finds the machine while the program runs, without a probe and without making it wait: by what
/// the kernels know of connections that the program's own calls have made.
///
/// Counted in calls on all processes. A look begins before some calls: each rank hands what it sees
/// to a non-blocking allreduce, and completes that kCallsToLook calls later. If rank 0 has what an
/// earlier run kept (KeptStart), that comes behind the first look that there is time for, as many
/// calls later. While there is no time for a machine yet, the next look comes when there is likely
/// to be, or time to read what was kept; after that looks follow each other ever more rarely.
class SocketLooks {
 public:
  static constexpr std::uint32_t kCallsToLook = 4;
  static constexpr int kMostLooks = 12;

  /// What rank 0 knows of earlier runs.
  struct Earlier {
    std::string kept;     ///< text for all ranks; may be empty
    double expected = 0;  ///< seconds that this program took; 0: unknown
  };
  using ReadEarlier = std::function<Earlier()>;

  /// @param leaders, addresses of each rank: RollCall::Places
  /// @param read on rank 0; else empty. Called once, when there is time to read a file
  SocketLooks(std::span<const int> leaders, std::span<const std::uint64_t> addresses, int rank,
              ReadEarlier read);

  /// What a look has told.
  struct Told {
    double elapsed = 0;   ///< agreed seconds that the program has run
    double spent = 0;     ///< agreed seconds of our own work and waiting
    double expected = 0;  ///< seconds that the program will run, as rank 0 expects; 0: unknown
    std::optional<KeptStart> kept = {};  ///< machine and decisions that an earlier run kept
    /// A machine, if there is news; not before what an earlier run kept.
    std::optional<discover::SeenMachine> machine = {};
  };
  /// Counts a call. Begins or ends a look. All ranks call it before the same calls.
  /// @param root rank in `over` of rank 0 of MPI_COMM_WORLD
  /// @param account of this rank; what it waits here is added
  [[nodiscard]] std::optional<Told> before_call(MPI_Comm over, int root, double elapsed,
                                                runtime::Account& account);
  /// A communicator is about to be freed: what is under way on it comes to its end, since all
  /// members have begun it. Its result is still taken before the same call on all ranks.
  void leave(MPI_Comm comm);
  /// Whether there were so many looks that more would tell little. While the machine may still be
  /// measured by probes, looks go on: they tell when there is time for that.
  /// @param may_be_measured the same on all ranks
  [[nodiscard]] bool is_over(bool may_be_measured) const {
    return !may_be_measured && looks_ >= kMostLooks && agreement_ == nullptr &&
           delivery_ == nullptr;
  }
  /// Whether round trips that were seen contradict a machine: some is less than 2/3 of what the
  /// machine says, or more than 3/2.
  [[nodiscard]] bool contradicts(const topology::Machine& machine) const;

 private:
  void begin(MPI_Comm over, double elapsed, const runtime::Account& account);
  [[nodiscard]] Told end(MPI_Comm over, int root, runtime::Account& account);
  [[nodiscard]] bool is_news() const;
  [[nodiscard]] std::optional<discover::SeenMachine> news();

  std::vector<std::vector<Rank>> ranks_;  // of each node
  /// Of each node, those that no other node has.
  std::vector<std::vector<std::uint32_t>> addresses_;
  discover::Node here_ = 0;                  // the node of this process
  std::optional<discover::NodesSeen> seen_;  // agreed so far; absent: connections tell nothing
  std::optional<discover::NodesSeen> told_;  // what the last machine was made of
  runtime::Asking asking_{0};
  std::uint32_t under_way_ = 0;  // calls since the look began
  int looks_ = 0;                // that there was time for
  bool has_failed_ = false;      // MPI reported an error, on all ranks
  MPI_Comm on_ = MPI_COMM_NULL;  // what agreement_ or delivery_ travels on
  std::unique_ptr<LateAgreement> agreement_;
  ReadEarlier read_;                        // on rank 0, until it has read
  std::string kept_;                        // on rank 0, until it is delivered
  double expected_ = 0;                     // seconds of an earlier run; agreed from a look on
  std::unique_ptr<KeptDelivery> delivery_;  // under way
};

}  // namespace espalier::mpi
