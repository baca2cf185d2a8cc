#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/expected.hpp"
#include "base/types.hpp"

namespace espalier::discover {

/// A computer that is measured, through one process on it; counted from 0.
using Node = std::uint32_t;
inline constexpr Node kNoNode = std::numeric_limits<Node>::max();

enum class Kind : std::uint8_t {
  RoundTrip,  ///< `bytes` go out, an empty message comes back
  Stream,     ///< `messages` of `bytes` go out back to back, then one comes back
  Train       ///< a Stream timed by `to`: how fast the messages come in
};

struct Experiment {
  Kind kind = Kind::RoundTrip;
  Node from = 0;
  Node to = 0;
  Bytes bytes{0};
  std::uint32_t messages = 1;        ///< length of a Stream or Train
  std::uint32_t repeats = 4;         ///< most samples taken; at least one is
  Time patience = milliseconds(30);  ///< no sample begins once this much time has passed
  /// Repeats until samples get no faster: takes a second sample whatever the patience, and further
  /// ones while the last was clearly faster than all before it.
  bool warms_up = false;
  /// The two ends synchronise before anything is timed. Without this, the first sample may include
  /// the time that one end waits for the other.
  bool greets = true;
  Time delay{};  ///< Train only: how long the sender waits before it begins

  friend bool operator==(const Experiment&, const Experiment&) = default;
};

inline constexpr std::uint32_t kBusyChunk = 4;

/// What an experiment measured, by the clock of `from`.
struct Measured {
  /// Time until the last answer came, one entry a repetition, without the time that the other end
  /// took to answer. Of several round trips the last entry is the least way there and the least
  /// way back, which need not be those of one round trip.
  std::vector<Time> samples;
  /// Train only: when each message of the last one came, by the clock of `to`.
  std::vector<Time> arrivals;
  /// Stream only: how long the sender was busy with a message; one entry for kBusyChunk messages.
  std::vector<Time> busy;
};

/// Experiments that run at the same time; no node is in two of them.
using Round = std::vector<Experiment>;

/// Runs experiments: between real processes under MPI, or on a simulated machine.
class Prober {
 public:
  virtual ~Prober() = default;
  [[nodiscard]] virtual Node size() const = 0;
  /// Runs rounds one after the other; the result has their shape. Connections are warmed before
  /// anything is timed.
  virtual Expected<std::vector<std::vector<Measured>>> run(std::span<const Round> rounds) = 0;
  /// Total time of all experiments so far.
  [[nodiscard]] virtual Time spent() const = 0;
};

/// Whether no node is in two experiments of the round, and all nodes are below `nodes`.
[[nodiscard]] bool is_sound(const Round& round, Node nodes);

/// Most samples of an experiment that warms up.
inline constexpr std::uint32_t kMostWarmUps = 8;

/// Whether to take one more sample, after these samples, which took `passed` in total.
[[nodiscard]] bool goes_on(const Experiment& experiment, std::span<const Time> samples,
                           Time passed);

/// The middle one of some samples, the lower of two. @pre not empty
[[nodiscard]] Time middle(std::span<const Time> samples);

/// The least of some samples: what the network takes when nothing is in the way. @pre not empty
[[nodiscard]] Time least(std::span<const Time> samples);

}  // namespace espalier::discover
