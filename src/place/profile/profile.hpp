#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "schedule/collective.hpp"

namespace espalier::profile {

enum class ActionKind : std::uint8_t { Compute, Send, Recv, Collective, Loop, Post, Sent };

/// One thing a process did, in its order.
///
/// A Send never waits: the message is handed over and the process goes on. A Recv stands where the
/// process waited for its message: a non-blocking one is recorded at its completion, not where it
/// was posted. So a trace holds what depends on what, and it cannot deadlock by itself.
///
/// Messages of kMarkedBytes and more may be too long for MPI to send before they are wanted. Of
/// them a Post says where their receive was posted, if before its Recv, and a Sent where the
/// process waited until the first of its sends to that peer that it had not waited for was over.
struct Action {
  ActionKind kind = ActionKind::Compute;
  schedule::Operation operation = schedule::Operation::Barrier;  ///< Collective only
  Rank peer = 0;  ///< messages: the partner; Collective: its root, a rank of the world
  std::uint32_t communicator = 0;  ///< Collective only: index into Profile::communicators
  std::uint32_t body = 0;          ///< Loop only: how many of the next actions are its body
  std::uint64_t bytes = 0;  ///< message length (Post: room for it); Collective: message or block
  std::uint64_t times = 0;  ///< Loop only: how often the body runs
  Time takes;               ///< Compute only: time on a node of speed 1
  friend bool operator==(const Action&, const Action&) = default;
};

/// What one process did. Loops are folded: a body stands once, however often it ran.
struct Process {
  Time ran;                     ///< time from MPI_Init to MPI_Finalize; 0: not measured
  Time in_mpi;                  ///< time measured inside MPI; 0: not measured
  Time in_collectives;          ///< the part of it in collectives, with waiting for late ranks
  std::vector<Action> actions;  ///< empty if only pairs were recorded
  friend bool operator==(const Process&, const Process&) = default;
};

/// Messages from one process to another.
struct Pair {
  Rank from = 0;
  Rank to = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const Pair&, const Pair&) = default;
};

/// How a parallel program communicates: who with whom, how much, and in which order.
struct Profile {
  std::string name;
  std::vector<Process> processes;  ///< indexed by rank; at least one
  /// Members in the order of their ranks there; [0] is the world, all processes in order.
  std::vector<std::vector<Rank>> communicators;
  std::vector<Pair> pairs;  ///< point-to-point messages of the program, ordered by (from, to)
  /// Messages that collectives were executed with, ordered by (from, to).
  std::vector<Pair> executed;
  /// There are more than kMostPairs of them, so there are none in `executed`.
  bool is_executed_left_out = false;

  [[nodiscard]] Rank size() const { return static_cast<Rank>(processes.size()); }
  /// Whether there is a trace to replay.
  [[nodiscard]] bool has_trace() const;
  friend bool operator==(const Profile&, const Profile&) = default;
};

/// More pairs are not counted from a trace: where all talk to all there are as many as P^2.
inline constexpr std::size_t kMostPairs = std::size_t{1} << 22U;
/// Any MPI sends shorter messages before their receiver is ready.
inline constexpr std::uint64_t kMarkedBytes = 4096;
/// Files with more processes are refused as a mistake.
inline constexpr std::uint64_t kMaxProfiledProcesses = std::uint64_t{1} << 20;
/// Deepest nesting of loops.
inline constexpr std::uint64_t kMaxLoopDepth = 16;
/// Bytes, messages and repetitions that are still added up without overflow.
inline constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 48;

/// A profile of `size` silent processes with the world as its only communicator.
[[nodiscard]] Profile silent_profile(std::string name, Rank size);

/// `pairs` and `executed` added up, ordered by (from, to).
[[nodiscard]] std::vector<Pair> all_pairs(const Profile& profile);
/// Each pair once, ordered by (from, to), without pairs that have no messages. Sums saturate.
[[nodiscard]] std::vector<Pair> merged(std::vector<Pair> pairs);

/// Fills in `pairs` and `executed` from the trace; collectives as messages of rounds.hpp.
/// O(actions, and messages of each collective; loops are counted, not run).
void count_pairs(Profile& profile);

/// Makes up a trace for a profile that has none: in each round, every process sends to all its
/// partners, then receives from all of them. There are as many rounds as the median pair has
/// messages.
void guess_trace(Profile& profile);

}  // namespace espalier::profile
