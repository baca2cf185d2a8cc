#include "reproduce/banikazemi_table2.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "base/contract.hpp"
#include "base/random.hpp"
#include "tree/exact_optimum.hpp"
#include "tree/initiation_trees.hpp"
#include "tree/tree_time.hpp"

namespace espalier::reproduce {
namespace {

constexpr std::array<Table2Printed, 8> kPrinted{{{2, 453.37, 453.37, 0.00},
                                                 {3, 705.60, 705.60, 0.00},
                                                 {4, 805.70, 805.70, 0.00},
                                                 {5, 871.01, 871.01, 0.00},
                                                 {6, 914.90, 913.15, 0.19},
                                                 {7, 947.56, 942.26, 0.56},
                                                 {8, 976.90, 967.27, 0.99},
                                                 {9, 984.29, 977.12, 0.73}}};

/// Whole numbers only, so that it does not matter in which order the cases are added.
struct GapSums {
  Time fnf{0};
  Time optimum{0};
  std::int64_t gaps_ppb = 0;
  std::int64_t worst_ppb = 0;
  std::uint64_t same = 0;
  std::uint64_t unproven = 0;

  GapSums& operator+=(const GapSums& other) {
    fnf += other.fnf;
    optimum += other.optimum;
    gaps_ppb += other.gaps_ppb;
    worst_ppb = std::max(worst_ppb, other.worst_ppb);
    same += other.same;
    unproven += other.unproven;
    return *this;
  }
};

GapSums one_case(Rank participants, std::uint64_t seed) {
  Random rng(seed);
  std::vector<Time> costs(participants);
  for (Time& cost : costs) cost = microseconds(100 * rng.between(1, 8));
  const tree::Participants who = tree::everybody(participants, 0);
  const tree::ExactResult best = tree::exact_optimum(costs, who);
  GapSums one;
  one.fnf = tree::initiation_time(tree::fastest_node_first(costs, who), costs);
  one.optimum = best.lower_bound;
  constexpr std::int64_t kBillion = 1'000'000'000;
  // Costs are multiples of 100 us, so microseconds are exact here, and the product fits.
  const std::int64_t behind = (one.fnf - one.optimum).picoseconds / 1'000'000;
  one.gaps_ppb = behind * kBillion / (one.optimum.picoseconds / 1'000'000);
  one.worst_ppb = one.gaps_ppb;
  one.same = behind == 0 ? 1 : 0;
  one.unproven = best.proven() ? 0 : 1;
  return one;
}

/// Each case has a seed of its own, whoever computes it.
std::uint64_t seed_of(std::uint64_t seed, Rank participants, std::uint64_t number) {
  Random of_row(Random(seed).next() + participants);
  return Random(of_row.next() + number).next();
}

}  // namespace

Table2Row table2_row(Rank participants, std::uint64_t cases, std::uint64_t seed, unsigned threads) {
  expects(participants >= 2, "table2_row: a broadcast needs two participants");
  expects(cases > 0 && threads > 0, "table2_row: nothing to do, or nobody to do it");
  std::vector<GapSums> part(threads);
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      GapSums sums;
      for (std::uint64_t i = t; i < cases; i += threads) {
        sums += one_case(participants, seed_of(seed, participants, i));
      }
      part[t] = sums;
    });
  }
  for (std::thread& worker : workers) worker.join();
  GapSums all;
  for (const GapSums& sums : part) all += sums;

  const auto count = static_cast<double>(cases);
  return {.participants = participants,
          .cases = cases,
          .mean_fnf_us = to_microseconds(all.fnf) / count,
          .mean_optimum_us = to_microseconds(all.optimum) / count,
          .gap_of_means = to_microseconds(all.fnf - all.optimum) / to_microseconds(all.optimum),
          .mean_gap = static_cast<double>(all.gaps_ppb) / 1e9 / count,
          .worst_gap = static_cast<double>(all.worst_ppb) / 1e9,
          .same_latency = static_cast<double>(all.same) / count,
          .unproven = all.unproven};
}

std::span<const Table2Printed> table2_printed() { return kPrinted; }

}  // namespace espalier::reproduce
