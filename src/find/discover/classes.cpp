#include "discover/classes.hpp"

#include <algorithm>
#include <numeric>

namespace espalier::discover {
namespace {

double figure(Time time) { return static_cast<double>(time.picoseconds); }
double figure(Bandwidth rate) { return static_cast<double>(rate.bits_per_second); }
bool is_known(Time time) { return time > Time{}; }
bool is_known(Bandwidth rate) { return !rate.unlimited(); }

/// Figures of one kind, by where they stand.
template <typename T>
class Figures {
 public:
  void add(T& value) {
    if (is_known(value)) places_.push_back(&value);
  }
  void group() {
    std::vector<T> values;
    std::vector<double> figures;
    for (const T* place : places_) {
      values.push_back(*place);
      figures.push_back(figure(*place));
    }
    const std::vector<std::size_t> middles = class_middles(figures);
    for (std::size_t i = 0; i < places_.size(); ++i) *places_[i] = values[middles[i]];
  }

 private:
  std::vector<T*> places_;
};

}  // namespace

std::vector<std::size_t> class_middles(std::span<const double> figures) {
  std::vector<std::size_t> order(figures.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return figures[a] < figures[b]; });
  std::vector<std::size_t> middles(figures.size());
  for (std::size_t first = 0; first < order.size();) {
    const double most = figures[order[first]] * (1 + kClassPercent / 100.0);
    std::size_t end = first;
    while (end < order.size() && figures[order[end]] <= most) ++end;
    const std::size_t middle = order[first + (end - first - 1) / 2];
    for (std::size_t i = first; i < end; ++i) middles[order[i]] = middle;
    first = end;
  }
  return middles;
}

void group_figures(FoundCluster& whole) {
  for (const auto& level : by_depth(whole)) {
    Figures<Time> latencies;
    Figures<Bandwidth> rates;
    Figures<Bandwidth> caps;
    for (FoundCluster* cluster : level) {
      latencies.add(cluster->latency);
      caps.add(cluster->flow_cap);
      for (FoundPair& pair : cluster->pairs) {
        latencies.add(pair.latency);
        rates.add(pair.capacity);
      }
      for (FoundCluster& member : cluster->members) {
        rates.add(member.out);
        rates.add(member.in);
      }
    }
    latencies.group();
    rates.group();
    caps.group();
  }
}

void group_costs(std::vector<NodeCost>& costs) {
  Figures<Time> sends;
  Figures<Time> receives;
  for (NodeCost& cost : costs) {
    sends.add(cost.send);
    receives.add(cost.recv);
  }
  sends.group();
  receives.group();
}

}  // namespace espalier::discover
