#pragma once

#include <string>
#include <vector>

#include "base/random.hpp"
#include "model/cost_model.hpp"

namespace espalier {

/// In picoseconds.
struct TableLink {
  std::int64_t send = 0, wire = 0, receive = 0;
  std::int64_t send_per_byte = 0, wire_per_byte = 0, receive_per_byte = 0;
};

/// A cost model for tests: for each ordered pair of ranks a sending, a wire and a receiving part,
/// each with a share that grows with the bytes.
class TableModel : public model::CostModel {
 public:
  explicit TableModel(Rank ranks, TableLink every = {})
      : ranks_(ranks), links_(std::size_t{ranks} * ranks, every) {}

  TableLink& link(Rank from, Rank to) { return links_[std::size_t{from} * ranks_ + to]; }

  [[nodiscard]] Rank size() const override { return ranks_; }
  [[nodiscard]] model::MessageCost cost(Rank from, Rank to, Bytes size) const override {
    const TableLink& link = links_[std::size_t{from} * ranks_ + to];
    const auto bytes = static_cast<std::int64_t>(size.value);
    const Time send{link.send + bytes * link.send_per_byte};
    const Time receive{link.receive + bytes * link.receive_per_byte};
    return {send, receive, send + Time{link.wire + bytes * link.wire_per_byte} + receive};
  }
  [[nodiscard]] std::string name() const override { return "table"; }

 private:
  Rank ranks_;
  std::vector<TableLink> links_;
};

/// Every link and every part of it drawn by itself.
inline TableModel random_table(Random& rng, Rank ranks) {
  TableModel model(ranks);
  for (Rank i = 0; i < ranks; ++i) {
    for (Rank j = 0; j < ranks; ++j) {
      model.link(i, j) = {rng.between(0, 20), rng.between(0, 50), rng.between(0, 20),
                          rng.between(0, 3),  rng.between(0, 3),  rng.between(0, 3)};
    }
  }
  return model;
}

/// Ranks dealt at random to `clusters`: a send costs 10, the wire 20 inside a cluster and 2000
/// between two.
inline TableModel random_clusters(Random& rng, Rank ranks, Rank clusters) {
  std::vector<std::uint64_t> cluster(ranks);
  for (std::uint64_t& c : cluster) c = rng.below(clusters);
  TableModel model(ranks);
  for (Rank i = 0; i < ranks; ++i) {
    for (Rank j = 0; j < ranks; ++j) {
      model.link(i, j) = {.send = 10, .wire = cluster[i] == cluster[j] ? 20 : 2000};
    }
  }
  return model;
}

inline std::vector<Time> random_times(Random& rng, Rank count, std::int64_t low,
                                      std::int64_t high) {
  std::vector<Time> times(count);
  for (Time& t : times) t = Time{rng.between(low, high)};
  return times;
}

}  // namespace espalier
