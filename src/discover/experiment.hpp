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
  OneToTwo    ///< `bytes` go out to two nodes, and an empty message comes back from each
};

struct Experiment {
  Kind kind = Kind::RoundTrip;
  Node from = 0;
  Node to = 0;
  Node second = kNoNode;  ///< of OneToTwo
  Bytes bytes{0};
  std::uint32_t messages = 1;        ///< of Stream
  std::uint32_t repeats = 4;         ///< samples at most, and at least one:
  Time patience = milliseconds(30);  ///< no further one begins once so much time has passed
  /// Until it is as fast as it gets: whatever the patience, a second sample, and further ones while
  /// the last was clearly faster than all before it.
  bool warms_up = false;

  friend bool operator==(const Experiment&, const Experiment&) = default;
};

inline constexpr std::uint32_t kBusyChunk = 4;

/// What an experiment gave, one entry a repetition. Taken by `from` with its own clock.
struct Measured {
  std::vector<Time> samples;  ///< until the last answer was there
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
