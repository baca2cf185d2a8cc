#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/network.hpp"
#include "topology/machine.hpp"
#include "topology/transport.hpp"

namespace espalier::cost {

/// Picoseconds, as the predictor counts them.
///
/// Floating point, with nothing but + - * / and comparisons in one order, and built with
/// -ffp-contract=off: IEEE 754 gives the same bits on every CPU. See ADR 7.
using Picos = double;

/// The time that a byte takes at this bandwidth.
[[nodiscard]] Picos per_byte_of(Bandwidth bandwidth);

/// Factors for the figures of one level. With them the coefficients of a prediction's formula are
/// found (formula.hpp).
struct CostScale {
  double latency = 1;   ///< multiplies the latency of all paths of the level
  double per_byte = 1;  ///< multiplies the time a byte takes on all links of the level
};

/// A machine as the predictor sees it: times instead of bandwidths, resources by number.
///
/// The machine must outlive it. O(processes + clusters) to make. Not thread-safe.
class CostView {
 public:
  /// @param scales one for each level; empty: none
  /// @param processor multiplies all costs of sending, receiving and combining
  explicit CostView(const topology::Machine& machine, std::span<const CostScale> scales = {},
                    double processor = 1, const topology::Transport& transport = {});

  [[nodiscard]] const topology::Machine& machine() const { return machine_; }
  [[nodiscard]] Rank size() const { return machine_.size(); }
  [[nodiscard]] std::size_t resources() const { return per_byte_.size(); }

  [[nodiscard]] bool is_eager(double bytes) const {
    return bytes < static_cast<double>(transport_.eager_bytes);
  }
  /// Fills in what a message passes; `route` is reused to save allocations.
  void find_route(Rank from, Rank to, sim::Route& route) const {
    network_.find_route(from, to, route);
  }
  [[nodiscard]] Picos latency(const sim::Route& route) const;
  [[nodiscard]] const sim::Resource& resource(sim::ResourceId id) const {
    return network_.resources()[id];
  }
  /// Time a byte takes for one flow on an idle resource.
  [[nodiscard]] Picos per_byte(sim::ResourceId resource) const { return per_byte_[resource]; }
  [[nodiscard]] Picos cap_per_byte(const sim::Route& route) const;

  /// classes_of_clusters(), worked out when it is first asked for.
  [[nodiscard]] std::uint32_t class_of(topology::ClusterId cluster) const;

  [[nodiscard]] Picos send(Rank rank, double bytes) const {
    return costs_[rank].send + bytes * costs_[rank].send_byte;
  }
  [[nodiscard]] Picos recv(Rank rank, double bytes) const {
    return costs_[rank].recv + bytes * costs_[rank].recv_byte;
  }
  [[nodiscard]] Picos combine(Rank rank, double bytes) const {
    return bytes * costs_[rank].combine_byte;
  }

 private:
  struct Costs {
    Picos send, send_byte, recv, recv_byte, combine_byte;
  };

  const topology::Machine& machine_;
  sim::Network network_;
  std::vector<CostScale> scales_;
  topology::Transport transport_;
  std::vector<Picos> per_byte_;
  std::vector<Costs> costs_;
  mutable std::vector<std::uint32_t> classes_;
};

}  // namespace espalier::cost
