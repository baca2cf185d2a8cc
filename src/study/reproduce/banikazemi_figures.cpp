#include "reproduce/banikazemi_figures.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/contract.hpp"
#include "base/random.hpp"
#include "model/node_costs.hpp"
#include "reproduce/hnow_network.hpp"
#include "tree/algorithm.hpp"
#include "tree/multiple_multicast.hpp"
#include "tree/tree_time.hpp"

namespace espalier::reproduce {
namespace {

using model::CostModel;
using tree::CommTree;
using tree::Participants;

CommTree build(const char* name, const std::vector<Time>& initiation, const Participants& who,
               const CostModel& model, Bytes size) {
  const tree::Algorithm* algorithm = tree::find_algorithm(name);
  expects(algorithm != nullptr, "reproduce: an algorithm of the paper is missing");
  return algorithm->build({who, initiation, model, size});
}

/// `count` different ones of 0 .. below-1, in random order.
std::vector<Rank> choose(Random& rng, Rank count, Rank below) {
  std::vector<Rank> all(below);
  std::iota(all.begin(), all.end(), Rank{0});
  rng.shuffle(std::span(all));
  all.resize(count);
  return all;
}

/// In the order of MPICH's numbers relative to the source: those above it, then around. The default
/// tree goes by it.
Participants numbered_from(Rank nodes, Rank root, std::vector<Rank> others) {
  std::sort(others.begin(), others.end(),
            [&](Rank a, Rank b) { return std::pair(a < root, a) < std::pair(b < root, b); });
  return {nodes, root, std::move(others)};
}

/// A random source of the wanted kind and random destinations.
Participants participants(Random& rng, const std::vector<Time>& initiation, Rank destinations,
                          Source source) {
  const auto nodes = static_cast<Rank>(initiation.size());
  const Time fastest = *std::min_element(initiation.begin(), initiation.end());
  std::vector<Rank> chosen;
  do {
    chosen = choose(rng, destinations + 1, nodes);
  } while (source == Source::Fast && initiation[chosen.front()] != fastest);
  return numbered_from(nodes, chosen.front(), {chosen.begin() + 1, chosen.end()});
}

/// Random destinations for a given source.
Participants multicast_from(Random& rng, Rank nodes, Rank source, Rank destinations) {
  std::vector<Rank> chosen = choose(rng, destinations + 1, nodes);
  const auto itself = std::find(chosen.begin(), chosen.end(), source);
  chosen.erase(itself == chosen.end() ? chosen.end() - 1 : itself);
  return numbered_from(nodes, source, std::move(chosen));
}

/// Sums up cases; Improvement holds their means.
class Mean {
 public:
  void add(const Participants& who, const CostModel& model, Bytes size) {
    // The trees go by what a message of this size costs its sender.
    std::vector<Time> costs(model.size());
    for (Rank r = 0; r < model.size(); ++r) {
      costs[r] = model.cost(r, r == 0 ? 1 : 0, size).sender_busy;
    }
    const auto time = [&](const char* name) {
      return to_microseconds(broadcast_time(build(name, costs, who, model, size), model, size));
    };
    const double plain = time("binomial"), spoc = time("spoc"), fnf = time("fnf");
    ++cases_;
    sum_.default_us += plain;
    sum_.spoc_us += spoc;
    sum_.fnf_us += fnf;
    sum_.best_spoc_factor = std::max(sum_.best_spoc_factor, plain / spoc);
    sum_.best_fnf_factor = std::max(sum_.best_fnf_factor, plain / fnf);
  }
  [[nodiscard]] Improvement result() const {
    Improvement mean = sum_;
    mean.default_us /= cases_;
    mean.spoc_us /= cases_;
    mean.fnf_us /= cases_;
    return mean;
  }

 private:
  Improvement sum_;
  unsigned cases_ = 0;
};

/// `fast` of the nodes, at random, are fast.
std::vector<Time> two_classes(Random& rng, Rank nodes, Rank fast, Time quick, Time slow) {
  std::vector<Time> initiation(nodes, slow);
  for (const Rank r : choose(rng, fast, nodes)) initiation[r] = quick;
  return initiation;
}

/// The ATM testbed: initiation is half a round trip; the paper states no bandwidth, so bytes go at
/// ATM's 135 Mbit/s of payload (OC-3) and keep the sender too (PIO), which is why factors fall with
/// size as they do in Figure 4(d).
class AtmModel : public CostModel {
 public:
  explicit AtmModel(const std::vector<Time>& initiation) : initiation_(initiation) {}
  [[nodiscard]] Rank size() const override { return static_cast<Rank>(initiation_.size()); }
  [[nodiscard]] model::MessageCost cost(Rank from, Rank, Bytes size) const override {
    const Time all = initiation_[from] + transfer_time(size, bits_per_second(135'000'000));
    return {all, Time{0}, all};
  }
  [[nodiscard]] std::string name() const override { return "atm"; }

 private:
  const std::vector<Time>& initiation_;
};

constexpr Time kAtmFast = microseconds(690);
constexpr Time kAtmSlow = microseconds(1480);

TestbedRow testbed_row(int figure, Rank nodes, Rank fast, Bytes size, Source source,
                       std::uint64_t seed, unsigned cases) {
  Random rng(seed);  // the same placements for every size
  Mean mean;
  for (unsigned i = 0; i < cases; ++i) {
    const std::vector<Time> initiation = two_classes(rng, nodes, fast, kAtmFast, kAtmSlow);
    const Participants who = participants(rng, initiation, nodes - 1, source);
    mean.add(who, AtmModel(initiation), size);
  }
  return {figure, nodes, fast, size, source, mean.result()};
}

constexpr std::array kSources{Source::Fast, Source::Random};
constexpr std::array<Rank, 5> kDestinations{4, 8, 16, 32, 63};
constexpr Time kHnowFast = microseconds(400);

/// Percent of 64 nodes, rounded to the nearest.
Rank fast_nodes(int percent) { return static_cast<Rank>((64 * percent + 50) / 100); }

}  // namespace

Figure1 figure1() {
  std::vector<Time> initiation(8, microseconds(300));
  initiation[0] = initiation[5] = microseconds(100);
  const model::NodeInitiation model(initiation);
  const Participants who = tree::everybody(8, 0);
  const auto time = [&](const char* name) {
    return broadcast_time(build(name, initiation, who, model, Bytes{0}), model, Bytes{0});
  };
  return {time("binomial"), time("spoc"), time("fnf"), time("optimal")};
}

std::vector<TestbedRow> figures4to6(std::uint64_t seed, unsigned cases) {
  struct Config {
    int figure;
    Rank nodes, fast;
  };
  constexpr std::array<Config, 9> kConfigs{{{4, 16, 2},
                                            {4, 16, 4},
                                            {4, 16, 8},
                                            {5, 8, 1},
                                            {5, 8, 2},
                                            {5, 8, 4},
                                            {6, 4, 2},
                                            {6, 8, 4},
                                            {6, 16, 8}}};
  std::vector<TestbedRow> rows;
  for (const Config& c : kConfigs) {
    for (const Source source : kSources) {
      for (const std::uint64_t size : {4U, 256U, 1024U, 4096U}) {
        rows.push_back(testbed_row(c.figure, c.nodes, c.fast, Bytes{size}, source, seed, cases));
      }
    }
  }
  return rows;
}

std::vector<StudyRow> figures7to9(std::uint64_t seed) {
  std::vector<HnowNetwork> networks;
  for (std::uint64_t n = 0; n < 10; ++n) networks.emplace_back(seed + n);
  std::vector<StudyRow> rows;
  for (const int factor : {2, 4, 6}) {
    for (const int percent : {10, 25, 50}) {
      for (const Source source : kSources) {
        for (const std::uint64_t size : {64U, 1024U, 4096U}) {
          for (const Rank destinations : kDestinations) {
            Random rng(seed ^ 0x5deece66dULL);
            Mean mean;
            for (const HnowNetwork& network : networks) {
              for (int set = 0; set < 10; ++set) {
                const auto initiation = two_classes(rng, HnowNetwork::kHosts, fast_nodes(percent),
                                                    kHnowFast, factor * kHnowFast);
                const Participants who = participants(rng, initiation, destinations, source);
                mean.add(who, HnowModel(network, initiation), Bytes{size});
              }
            }
            rows.push_back({factor, percent, Bytes{size}, destinations, source, mean.result()});
          }
        }
      }
    }
  }
  return rows;
}

std::vector<MultipleRow> figure10(std::uint64_t seed, unsigned cases) {
  constexpr Bytes kSize{1024};
  std::vector<MultipleRow> rows;
  for (const int percent : {25, 50}) {
    for (const Rank sources : {4U, 16U, 32U, 64U}) {
      for (const Rank destinations : kDestinations) {
        Random rng(seed ^ 0x2545f491ULL);
        MultipleRow row{percent, sources, destinations, 0, 0, 0, 0, 0};
        for (unsigned i = 0; i < cases; ++i) {
          const HnowNetwork network(seed + i % 10);
          const auto initiation =
              two_classes(rng, HnowNetwork::kHosts, fast_nodes(percent), kHnowFast, 4 * kHnowFast);
          const HnowModel model(network, initiation);
          std::vector<Participants> all;
          for (const Rank source : choose(rng, sources, HnowNetwork::kHosts)) {
            all.push_back(multicast_from(rng, HnowNetwork::kHosts, source, destinations));
          }
          const auto separate = [&](const char* name, bool sorted = false) {
            std::vector<CommTree> trees;
            for (Participants who : all) {
              if (sorted) std::sort(who.others.begin(), who.others.end());
              trees.push_back(build(name, initiation, who, model, kSize));
            }
            return trees;
          };
          const auto until = [&](const std::vector<CommTree>& trees) {
            return to_microseconds(last_finish(run_together(trees, model, kSize)));
          };
          const std::vector<CommTree> fnf = separate("fnf");
          const auto ours = multiple_multicast(all, fnf, model, kSize);
          row.rotated_us += until(separate("binomial")) / cases;
          row.sorted_us += until(separate("binomial", true)) / cases;
          row.spoc_us += until(separate("spoc")) / cases;
          row.fnf_us += to_microseconds(ours.separate_time) / cases;
          row.joint_us += to_microseconds(last_finish(ours.plan.run)) / cases;
        }
        rows.push_back(row);
      }
    }
  }
  return rows;
}

}  // namespace espalier::reproduce
