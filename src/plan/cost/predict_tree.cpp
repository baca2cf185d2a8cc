#include "cost/predict_tree.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::cost {

void Loads::add(Rank from, Rank to, double bytes, double messages, bool combines, Picos start) {
  route_.clear();
  route_.add(from, to);
  add(from, to, route_, 0, bytes, messages, combines, start);
}

void Loads::add(Rank from, Rank to, const Routes& routes, std::size_t route, double bytes,
                double messages, bool combines, Picos start) {
  const Picos besides =
      start + cost_view_.send(from, bytes) + routes[route].latency + cost_view_.recv(to, bytes);
  for (const sim::ResourceId r : routes.resources(route)) {
    first_[r] = resources_[r] == 0 ? besides : std::min(first_[r], besides);
    resources_[r] += messages * bytes * cost_view_.per_byte(r);
  }
  processors_[from] += messages * cost_view_.send(from, bytes);
  processors_[to] += messages * cost_view_.recv(to, bytes);
  if (combines) processors_[to] += messages * cost_view_.combine(to, bytes);
}

Picos Loads::busiest() const {
  Picos most = *std::max_element(processors_.begin(), processors_.end());
  for (const Picos each : resources_) most = std::max(most, each);
  return most;
}

Picos Loads::busiest_resource() const {
  Picos most = 0;
  for (std::size_t r = 0; r < resources_.size(); ++r) {
    most = std::max(most, first_[r] + resources_[r]);
  }
  return most;
}

void Loads::operator+=(const Loads& other) {
  for (std::size_t i = 0; i < resources_.size(); ++i) resources_[i] += other.resources_[i];
  for (std::size_t i = 0; i < processors_.size(); ++i) processors_[i] += other.processors_[i];
}

TreePrediction::TreePrediction(const CostView& cost_view, const WholeTree& tree, double bytes,
                               std::span<const double> segments)
    : cost_view_(cost_view),
      tree_(tree),
      bytes_(bytes),
      fans_(cost_view, bytes, segments),
      down_(cost_view),
      up_(cost_view),
      crossings_(cost_view) {
  find_levels();
}

/// Edges' levels and generations.
void TreePrediction::find_levels() {
  level_.assign(tree_.size(), 0);
  depth_.assign(tree_.size(), 0);
  down_.reserve(tree_.children.size());
  for (Rank parent = 0; parent < tree_.size(); ++parent) {
    for (const Rank child : tree_.children_of(parent)) {
      down_.add(parent, child);
      levels_.push_back(down_[down_.size() - 1].level);
      level_[child] = levels_.back();
    }
  }
  for (std::size_t i = 0; i < tree_.order.size(); ++i) {
    const Rank rank = tree_.order[i];
    const Rank parent = tree_.parent[rank];
    if (parent != kNoRank) depth_[rank] = depth_[parent] + 1;
    if (depth_[rank] == layers_.size()) layers_.push_back(i);
  }
  layers_.push_back(tree_.order.size());
}

void TreePrediction::find_ways_up() {
  if (up_.size() != 0) return;
  up_.reserve(tree_.children.size());
  for (Rank parent = 0; parent < tree_.size(); ++parent) {
    for (const Rank child : tree_.children_of(parent)) up_.add(child, parent);
  }
}

/// A sub-tree has as many runs as ranks, less one for each two neighbours that are both in it:
/// those count from where their ways to the root meet.
void TreePrediction::keep_rank_order() {
  vectors_.assign(tree_.size(), 1);
  for (Rank r = 0; r + 1 < tree_.size(); ++r) {
    Rank a = r, b = r + 1;
    while (a != b) {
      Rank& deeper = depth_[a] >= depth_[b] ? a : b;
      if (tree_.parent[deeper] == kNoRank) break;
      deeper = tree_.parent[deeper];
    }
    if (a == b) vectors_[a] -= 1;
  }
  for (std::size_t i = tree_.order.size(); i-- > 0;) {
    const Rank rank = tree_.order[i];
    if (tree_.parent[rank] != kNoRank) vectors_[tree_.parent[rank]] += vectors_[rank];
  }
}

/// Who crosses what: of a pipeline all edges flow at once, else those of one generation do.
void TreePrediction::count_pipeline(const Routes& routes) {
  if (!pipelined()) return;
  crossings_.clear();
  for (std::size_t edge = 0; edge < routes.size(); ++edge) crossings_.add(routes.resources(edge));
  // Of a pipeline of n segments through g generations, an edge is in use for n of n + g - 1 steps.
  const double most = fans_.most_segments();
  const auto generations = static_cast<double>(layers_.size()) - 2;
  crossings_.thin_out(most / (most + std::max(0.0, generations - 1)));
}

/// Crossings of the edges between the ranks [begin, end) of the order and their children.
void TreePrediction::count_layer(std::size_t begin, std::size_t end, const Routes& routes) {
  if (pipelined()) return;
  crossings_.clear();
  for (std::size_t i = begin; i < end; ++i) {
    const Rank v = tree_.order[i];
    for (std::size_t edge = tree_.first[v]; edge < tree_.first[v + 1]; ++edge) {
      crossings_.add(routes.resources(edge));
    }
  }
}

Loads TreePrediction::loads(bool upwards, std::span<const Stream> streams) {
  Loads loads(cost_view_);
  if (upwards) find_ways_up();
  for (const Rank parent : tree_.order) {
    for (std::size_t edge = tree_.first[parent]; edge < tree_.first[parent + 1]; ++edge) {
      const Rank child = tree_.children[edge];
      const Cut& c = fans_.cut(levels_[edge]);
      const double each = bytes_ / c.count;
      const Rank from = upwards ? child : parent;
      const Picos start = streams.empty() ? 0 : streams[from].first;
      loads.add(from, upwards ? parent : child, upwards ? up_ : down_, edge, each, c.count, upwards,
                start);
    }
  }
  return loads;
}

Fan TreePrediction::fan_of(Rank rank, const Routes& routes) const {
  const std::size_t first = tree_.first[rank];
  const auto children = tree_.children_of(rank);
  return {rank,
          tree_.parent[rank] != kNoRank,
          level_[rank],
          children,
          std::span(levels_).subspan(first, children.size()),
          &routes,
          first,
          &crossings_};
}

void TreePrediction::broadcast(std::vector<Stream>& streams) {
  std::vector<Stream> out;
  count_pipeline(down_);
  for (std::size_t layer = 0; layer + 1 < layers_.size(); ++layer) {
    count_layer(layers_[layer], layers_[layer + 1], down_);
    for (std::size_t i = layers_[layer]; i < layers_[layer + 1]; ++i) {
      const Fan fan = fan_of(tree_.order[i], down_);
      if (fan.children.empty()) continue;
      out.resize(fan.children.size());
      fans_.down(fan, streams[fan.rank], out);
      for (std::size_t k = 0; k < out.size(); ++k) streams[fan.children[k]] = out[k];
    }
  }
}

void TreePrediction::reduce(std::vector<Stream>& streams) {
  find_ways_up();
  count_pipeline(up_);
  std::vector<Stream> in;
  std::vector<double> vectors;
  for (std::size_t layer = layers_.size() - 1; layer-- > 0;) {
    count_layer(layers_[layer], layers_[layer + 1], up_);
    for (std::size_t i = layers_[layer]; i < layers_[layer + 1]; ++i) {
      Fan fan = fan_of(tree_.order[i], up_);
      in.clear();
      vectors.clear();
      for (const Rank child : fan.children) {
        in.push_back(streams[child]);
        if (!vectors_.empty()) vectors.push_back(vectors_[child]);
      }
      fan.vectors = vectors;
      streams[fan.rank] = fans_.up(fan, in);
    }
  }
}

}  // namespace espalier::cost
