#include "mpi/channel.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "mpi/execution.hpp"

namespace espalier::mpi {

Channel::Channel(MPI_Comm comm, int rank, int size, runtime::Tags tags,
                 const ChannelOptions& options)
    : comm_(comm),
      rank_(rank),
      tags_(tags),
      options_(options),
      pace_mask_(tags.calls_apart() / 4 - 1),
      begins_below_(2 * (pace_mask_ + 1)),
      flows_(static_cast<std::size_t>(size)) {}

bool Channel::step_all_but(const Execution& but) {
  bool has_moved = false;
  for (std::size_t i = 0; i < under_way_.size(); ++i) {  // whoever is done leaves the list
    if (under_way_[i] != &but) has_moved |= under_way_[i]->step();
  }
  return has_moved;
}

/// Called by all ranks when a call of the same number begins. Calls of a quarter begin once all
/// ranks have begun the quarter before: so nobody is further ahead of another than half of what
/// tags tell apart. A rank that begins a call has ended all that are half of that behind
/// (is_near_oldest). Together: when a call begins, all ranks have ended the one before it that has
/// the same tags, and a message whose tag is that of a call which runs belongs to it.
void Channel::keep_pace() {
  const std::array<double, 1> failed{has_failed_ ? 1.0 : 0.0};
  paces_.emplace_back(comm_).start(failed);
}

/// Those under way are in the order of their numbers, but for an announcement, which begins before
/// the call with the number below its own (CountedTrees).
bool Channel::is_near_oldest(std::uint64_t number) const {
  const std::uint64_t oldest = under_way_.front()->number();
  return number < oldest || number - oldest < 2 * (pace_mask_ + 1);
}

void Channel::end_first_pace() {
  const std::vector<double> failed = paces_.front().finish();
  has_failed_somewhere_ |= !failed.empty() && failed.front() > 0;
  paces_.pop_front();
  begins_below_ += pace_mask_ + 1;
}

bool Channel::have_others_begun(std::uint64_t number) {
  while (number >= begins_below_ && !paces_.empty() && paces_.front().is_there()) end_first_pace();
  return number < begins_below_;
}

void Channel::wait_to_begin(std::uint64_t number) {
  while (number >= begins_below_ && !paces_.empty()) end_first_pace();
}

void Channel::abandon_pace() {
  for (LateAgreement& pace : paces_) pace.abandon();
}

void Channel::leave_note(int to, int tag) const {
  MPI_Request sent = MPI_REQUEST_NULL;
  PMPI_Isend(nullptr, 0, MPI_BYTE, to, tag, comm_, &sent);
  if (sent != MPI_REQUEST_NULL) PMPI_Request_free(&sent);
}

void Channel::tell_failure(std::uint64_t number) const {
  for (int to = 0; to < static_cast<int>(size()); ++to) {
    if (to != rank_) leave_note(to, tags_.failure_tag(number));
  }
}

void Channel::tell_other_call(Rank to, std::uint64_t number, std::uint64_t signature) const {
  leave_note(static_cast<int>(to), tags_.other_call_tag(number, signature));
}

bool Channel::may_send_to(Rank to, std::uint64_t call) const {
  const Flow* const flow = flows_.find(to);
  if (flow == nullptr) return true;
  const auto before = std::count_if(flow->under_way.begin(), flow->under_way.end(),
                                    [call](const auto& other) { return other.call <= call; });
  return before < std::ptrdiff_t{kSynchronousUnderWay};
}

/// Whether a flow has as much under way as it may have. @pre it has synchronous_after
bool Channel::is_full(const Flow& flow) {
  const std::uint64_t most = std::max(options_.most_synchronous_after, options_.synchronous_after);
  if (flow.since <= std::min(flow.fills, most)) return false;
  if (flow.fills > most) counts_.held_back = std::max(counts_.held_back, flow.fills);
  return true;
}

void Channel::confirm(Rank to, std::uint64_t call) {
  Flow& flow = flows_[to];
  ++confirmed_;
  const auto confirmed = std::find_if(flow.under_way.begin(), flow.under_way.end(),
                                      [call](const auto& one) { return one.call == call; });
  flow.counted -= confirmed->bytes;
  flow.under_way.erase(confirmed);
}

}  // namespace espalier::mpi
