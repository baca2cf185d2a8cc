#pragma once

#include <map>

#include "base/random.hpp"
#include "discover/experiment.hpp"
#include "topology/machine.hpp"

namespace espalier::discover {

/// What disturbs a simulated measurement.
struct Disturbance {
  std::uint64_t seed = 1;
  unsigned noise_percent = 0;    ///< every sample takes up to this many percent longer
  unsigned outlier_percent = 0;  ///< this many percent of the samples take 2 to 5 times as long
  /// Others' traffic: so many of the samples that cross the outermost level wait up to as long
  /// again as the link's latency, and get half of the bandwidth.
  unsigned background_percent = 0;
};

/// How the simulated MPI sends: above `eager_limit` a message first asks, `crossings` times.
struct Transport {
  Bytes eager_limit{std::numeric_limits<std::uint64_t>::max()};
  std::uint32_t crossings = 2;
  /// TCP's, of each connection and way: so many bytes go out in a round trip at first, and twice as
  /// many after each message or part of one that filled it. 0: no windows.
  Bytes first_window{0};
};

/// Measures a machine whose processes stand for one node each, by its own figures: what a message
/// costs both ends, latency, the narrowest of what it crosses; experiments of a round share what
/// they cross in equal parts.
class SimulatedProber : public Prober {
 public:
  SimulatedProber(const topology::Machine& machine, const Disturbance& disturbance,
                  const Transport& transport = {});

  [[nodiscard]] Node size() const override { return machine_.size(); }
  Expected<std::vector<std::vector<Measured>>> run(std::span<const Round> rounds) override;
  [[nodiscard]] Time spent() const override { return spent_; }

  [[nodiscard]] std::uint64_t experiments() const { return experiments_; }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

 private:
  [[nodiscard]] Time disturbed(Time time, Node a, Node b);
  [[nodiscard]] Time one_way(Node from, Node to, Bytes bytes, Bandwidth rate) const;
  /// What a window that has to open adds to a message, which opens it.
  [[nodiscard]] Time opening(Node from, Node to, Bytes bytes, Bandwidth rate);
  /// Of a Train. Windows open turn by turn.
  [[nodiscard]] std::vector<Time> arrivals(const Experiment& e, Bandwidth rate);
  [[nodiscard]] Measured measure(const Experiment& e, Bandwidth rate);
  [[nodiscard]] std::vector<Bandwidth> shared_rates(const Round& round) const;

  const topology::Machine& machine_;
  Disturbance disturbance_;
  Transport transport_;
  Random random_;
  std::map<std::pair<Node, Node>, Bytes> windows_;
  Time spent_;
  std::uint64_t experiments_ = 0;
  std::uint64_t messages_ = 0;
};

}  // namespace espalier::discover
