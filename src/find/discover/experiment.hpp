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
  Stream,     ///< `messages` of `bytes` go out one behind the other, then one comes back
  Train       ///< like Stream, but `to` times it: how fast the messages come in
};

struct Experiment {
  Kind kind = Kind::RoundTrip;
  Node from = 0;
  Node to = 0;
  Bytes bytes{0};
  std::uint32_t messages = 1;        ///< of Stream and Train
  std::uint32_t repeats = 4;         ///< samples at most, and at least one:
  Time patience = milliseconds(30);  ///< no further one begins once so much time has passed
  /// Until it is as fast as it gets: whatever the patience, a second sample, and further ones while
  /// the last was clearly faster than all before it.
  bool warms_up = false;
  /// The two ends meet before anything is timed. Without, the first sample may hold a wait for the
  /// other end, if that is not told of the experiment by the one that begins it.
  bool greets = true;
  Time delay{};  ///< of Train: the sender waits so long before it begins

  friend bool operator==(const Experiment&, const Experiment&) = default;
};

inline constexpr std::uint32_t kBusyChunk = 4;

/// What an experiment gave, one entry a repetition. Taken by `from` with its own clock.
struct Measured {
  std::vector<Time> samples;   ///< until the last answer was there
  std::vector<Time> arrivals;  ///< of Train, the last one: of its messages, by the clock of `to`
  /// Of Stream: how long the sender was busy with a message, one entry for each kBusyChunk of them.
  std::vector<Time> busy;
};

/// Experiments that run at the same time; no node is in two of them.
using Round = std::vector<Experiment>;

/// Whoever can measure: real processes under MPI, or a machine that is simulated.
class Prober {
 public:
  virtual ~Prober() = default;
  [[nodiscard]] virtual Node size() const = 0;
  /// Runs rounds one after the other; the result has their shape. Connections are warmed before
  /// anything is timed.
  virtual Expected<std::vector<std::vector<Measured>>> run(std::span<const Round> rounds) = 0;
  /// How long all of it took so far.
  [[nodiscard]] virtual Time spent() const = 0;
};

/// Whether no node is in two experiments of the round, and every node is one.
[[nodiscard]] bool is_sound(const Round& round, Node nodes);

/// With warms_up, samples at most.
inline constexpr std::uint32_t kMostWarmUps = 8;

/// Whether one more sample is to be taken, after these, which took so long together.
[[nodiscard]] bool goes_on(const Experiment& experiment, std::span<const Time> samples,
                           Time passed);

/// The middle one of some samples, the lower of two. @pre not empty
[[nodiscard]] Time middle(std::span<const Time> samples);

/// The least of some samples: what the network takes when nothing is in the way. @pre not empty
[[nodiscard]] Time least(std::span<const Time> samples);

}  // namespace espalier::discover
