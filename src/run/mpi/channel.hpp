#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "mpi/by_rank.hpp"
#include "mpi/late_agreement.hpp"
#include "mpi/local_steps.hpp"
#include "mpi/piece.hpp"
#include "runtime/tags.hpp"

namespace espalier::mpi {

class Execution;

/// Messages and bytes that left this rank over the channels of one level.
struct LevelCount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};
/// What a channel counted.
struct ChannelCounts {
  std::vector<LevelCount> sent;  ///< messages and bytes of each level
  /// Bytes that would keep the widest of the links busy where flow control allowed less; 0:
  /// nowhere.
  std::uint64_t held_back = 0;
  /// The most bytes that were counted for one rank and not confirmed, messages with a handshake
  /// whole. At most most_left() with the longest message.
  std::uint64_t most_unconfirmed = 0;
};

/// Bytes that an empty message takes at its receiver, roughly.
inline constexpr std::uint64_t kEnvelopeBytes = 256;

/// Synchronous messages to one rank that may be under way at once.
inline constexpr std::uint32_t kSynchronousUnderWay = 2;

/// Bytes that one sender leaves with one late receiver on a channel, at most: see Channel.
/// @param calls n there
/// @param after S there
/// @param message m there; for counted bytes (ChannelCounts) the longest message, whole
[[nodiscard]] constexpr std::uint64_t most_left(std::uint64_t calls, std::uint64_t after,
                                                std::uint64_t message) {
  return calls * kSynchronousUnderWay * (after + message);
}

struct ChannelOptions {
  /// MPI messages of one execution that may be under way, sends and receives each. It may have
  /// more for a while: see Execution.
  std::uint32_t window = 256;
  /// Bytes to one rank after which the next message to it is synchronous; over links that carry
  /// more in a round trip so many, but at most most_synchronous_after.
  std::uint64_t synchronous_after = std::uint64_t{4} << 20U;
  std::uint64_t most_synchronous_after = std::uint64_t{32} << 20U;
  /// How many of several messages to one rank are under way at a time; they are synchronous then.
  /// 0: no such limit. For networks without connections (wire.hpp).
  std::uint32_t parts_under_way = 0;
  std::uint64_t max_piece_bytes = kMaxPieceBytes;
  double stall_seconds = 1;  ///< time without progress before looking for messages of other calls
};

/// What happens to one MPI message of an execution, for those who look on.
struct TraceEvent {
  bool ends = false;  ///< it is complete; else it was started
  bool sends = false;
  std::uint64_t call = 0;  ///< number of the call on this communicator
  std::uint32_t op = 0;    ///< step of the program
  std::uint32_t tag = 0;   ///< tag of the message in the plan
  Rank peer = 0;
  std::uint64_t bytes = 0;
};

/// What all executions on one hidden communicator share: the numbers of calls, tags, flow control,
/// counts of messages, and a hook for those who look on.
///
/// Flow control. A receiver that is late holds messages that nobody asked for yet. One sender
/// leaves at most
///
///   n * kSynchronousUnderWay * (S + m)  bytes: most_left(n, S, m)
///
/// with it, whatever the calls are: n of them are under way at once (1 unless some do not block; 2
/// while a gatherv announces its tree), S = synchronous_after, or max(synchronous_after,
/// min(PeerLink::fills, most_synchronous_after)) over far links, so that a confirmation is back
/// before nothing more may leave, and m is the most of one message that MPI takes without a
/// handshake, kEnvelopeBytes for each part. After S bytes the next message is synchronous: it is
/// complete only once its receiver asked for it, and beyond two of these nothing leaves. Of a far
/// message m is up to 4 MiB (runtime::bytes_in_one), of others what MPI's eager limit is. Messages
/// that need a handshake are counted too, though they stay with their sender.
class Channel {
 public:
  Channel(MPI_Comm comm, int rank, int size, runtime::Tags tags, const ChannelOptions& options);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] Rank rank() const { return static_cast<Rank>(rank_); }
  [[nodiscard]] Rank size() const { return static_cast<Rank>(flows_.size()); }
  [[nodiscard]] const runtime::Tags& tags() const { return tags_; }
  [[nodiscard]] const ChannelOptions& options() const { return options_; }
  [[nodiscard]] SelfLane self(int tag = 0) const { return {comm_, rank_, tag}; }

  // Numbers of calls. All ranks count the same calls in the same order.
  /// The number of the next call, which stands in the tags of its messages.
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  /// Takes the number of a call that begins now, or that others run without this rank.
  std::uint64_t take_number() {
    const std::uint64_t number = calls_++;
    keep_pace_at(number);
    return number;
  }
  /// Takes the number of a call that begins later: keep_pace_at() then. Those begin in order.
  std::uint64_t reserve_number() { return calls_++; }
  /// Told of each call that begins, in their order.
  void keep_pace_at(std::uint64_t number) {
    if (number != 0 && (number & pace_mask_) == 0) keep_pace();
  }
  /// Whether the messages of a call may leave. Tags tell only some calls apart: no rank is further
  /// ahead of another than half of those, and none has more than half of those under way. Never
  /// waits.
  [[nodiscard]] bool may_begin(std::uint64_t number) {
    return is_in_window(number) && (number < begins_below_ || have_others_begun(number));
  }
  /// Whether the calls that are under way leave room for this one.
  [[nodiscard]] bool is_in_window(std::uint64_t number) const {
    return under_way_.empty() || is_near_oldest(number);
  }
  /// Waits until it may.
  void wait_to_begin(std::uint64_t number);
  /// Ends the allreduces that are under way. @pre all ranks have begun the same calls
  void end_paces() {
    while (!paces_.empty()) end_first_pace();
  }
  /// Leaves the allreduces that are under way behind, since others may never take part.
  void abandon_pace();
  /// A call failed here, or was left out: messages of it may stay for ever, and tags come again.
  void note_failure() { has_failed_ = true; }
  /// Whether a call failed on some rank, as all ranks know. They get the same answer between the
  /// same calls, if they called wait_to_begin(calls()) before and have all begun what they started.
  /// At the latest half of what tags tell apart after the failed call: from then on calls might
  /// take its messages for their own, or for signs of other calls.
  [[nodiscard]] bool has_failed_somewhere() const { return has_failed_somewhere_; }

  /// Tells all other ranks that this one has given up a call that does not block, or never began
  /// it: they may wait for its messages. Only those look for it who wait for long
  /// (Execution::look_for_mismatch); nobody receives it.
  void tell_failure(std::uint64_t number) const;

  /// Tells a rank that this one sends nothing of a call that blocks, since somebody makes another
  /// one in its place. Who waits for long finds that (look_for_another_call); nobody receives it.
  void tell_other_call(Rank to, std::uint64_t number, std::uint64_t signature) const;

  // Executions under way.
  void add(Execution& execution) { under_way_.push_back(&execution); }
  void remove(Execution& execution) { std::erase(under_way_, &execution); }
  [[nodiscard]] bool has_several() const { return under_way_.size() > 1; }
  [[nodiscard]] bool is_idle() const { return under_way_.empty(); }
  /// Steps all but this one. @return whether something happened
  bool step_others(const Execution& but) { return has_several() && step_all_but(but); }

  // Flow control.
  /// Whether a message of a call may leave. Messages of later calls hold none back: their receiver
  /// may begin those calls only when it has ended this one.
  [[nodiscard]] bool may_send_to(Rank to, std::uint64_t call) const;
  /// Counts a message to a rank. @return whether it is to be synchronous
  /// @param must it shall be in any case
  /// @param fills bytes that keep the link busy: PeerLink::fills
  bool count_unconfirmed(Rank to, std::uint64_t call, std::uint64_t bytes, bool must = false,
                         std::uint64_t fills = 0) {
    Flow& flow = flows_[to];
    flow.since += bytes + kEnvelopeBytes;
    flow.counted += bytes + kEnvelopeBytes;
    counts_.most_unconfirmed = std::max(counts_.most_unconfirmed, flow.counted);
    flow.fills = std::max(flow.fills, fills);
    const bool is_due = must || (flow.since > options_.synchronous_after && is_full(flow));
    if (!is_due) return false;
    flow.under_way.push_back({call, flow.since});
    flow.since = 0;
    return true;
  }
  /// Whether one of the next messages to a rank, so many bytes in all, has to be synchronous. Then
  /// the first of a call had better be: it is confirmed while the others are under way, where the
  /// call would wait a round trip for the last one. Not soon after a synchronous message, nor while
  /// one is under way: then as much as keeps the link busy goes between two of them.
  /// @param fills as above
  [[nodiscard]] bool is_due_within(Rank to, std::uint64_t bytes, std::uint64_t fills) const {
    const Flow* const flow = flows_.find(to);
    const std::uint64_t most =
        std::max(options_.synchronous_after, std::min(fills, options_.most_synchronous_after));
    return flow != nullptr && flow->under_way.empty() && flow->since > most / 4 &&
           flow->since + bytes > most;
  }
  /// A synchronous message of a call is complete, or given up.
  void confirm(Rank to, std::uint64_t call);
  /// How many were confirmed so far: whoever waits for one looks again when this changes.
  [[nodiscard]] std::uint64_t confirmed() const { return confirmed_; }

  void count_sent(std::uint32_t level, std::uint64_t bytes) {
    if (level >= counts_.sent.size()) counts_.sent.resize(level + 1);
    ++counts_.sent[level].messages;
    counts_.sent[level].bytes += bytes;
  }
  [[nodiscard]] const ChannelCounts& counts() const { return counts_; }

  /// Goes on with the calls of all communicators that do not block. Empty: step_others() does.
  std::function<bool()> step_pending;
  /// Is called at the begin and end of every MPI message; empty: nobody looks on.
  std::function<void(const TraceEvent&)> trace;

 private:
  /// A synchronous message under way.
  struct Synchronous {
    std::uint64_t call = 0;
    std::uint64_t bytes = 0;  // its own, and those counted after the synchronous one before it
  };
  struct Flow {
    std::uint64_t since = 0;             // bytes after the last synchronous message
    std::uint64_t counted = 0;           // likewise, and those of `under_way`
    std::uint64_t fills = 0;             // PeerLink::fills, once a message has told it
    std::vector<Synchronous> under_way;  // kSynchronousUnderWay for each call
  };
  void leave_note(int to, int tag) const;
  [[nodiscard]] bool is_full(const Flow& flow);
  bool step_all_but(const Execution& but);
  [[nodiscard]] bool is_near_oldest(std::uint64_t number) const;
  void keep_pace();
  bool have_others_begun(std::uint64_t number);
  void end_first_pace();

  MPI_Comm comm_;
  int rank_;
  runtime::Tags tags_;
  ChannelOptions options_;
  std::uint64_t calls_ = 0;
  std::uint64_t pace_mask_;
  std::uint64_t begins_below_;  // calls below this number may begin
  /// All begun these calls: one allreduce for each quarter of what tags tell apart, oldest first.
  /// It also tells whether a call failed somewhere.
  std::deque<LateAgreement> paces_;
  bool has_failed_ = false;
  bool has_failed_somewhere_ = false;
  std::vector<Execution*> under_way_;
  ByRank<Flow> flows_;  // one for each receiving rank
  std::uint64_t confirmed_ = 0;
  ChannelCounts counts_;
};

}  // namespace espalier::mpi
