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
      down_(cost_view),
      up_(cost_view),
      crossings_(cost_view),
      sharing_(cost_view) {
  for (const double segment : segments) {
    Cut cut{bytes, 1, bytes};
    if (segment > 0 && segment < bytes) {
      cut.segment = segment;
      cut.count = std::ceil(bytes / segment);
      cut.rest = bytes - (cut.count - 1) * segment;
      pipelined_ = true;
    }
    cuts_.push_back(cut);
  }
  find_levels();
}

/// Edges' levels, generations, and who crosses what: of a pipeline all edges flow at once, else
/// those of one generation do.
void TreePrediction::find_levels() {
  level_.assign(tree_.size(), 0);
  depth_.assign(tree_.size(), 0);
  down_.reserve(tree_.children.size());
  for (Rank parent = 0; parent < tree_.size(); ++parent) {
    for (const Rank child : tree_.children_of(parent)) {
      down_.add(parent, child);
      level_[child] = down_[down_.size() - 1].level;
      if (pipelined_) crossings_.add(down_.resources(down_.size() - 1));
    }
  }
  for (std::size_t i = 0; i < tree_.order.size(); ++i) {
    const Rank rank = tree_.order[i];
    const Rank parent = tree_.parent[rank];
    if (parent != kNoRank) depth_[rank] = depth_[parent] + 1;
    if (depth_[rank] == layers_.size()) layers_.push_back(i);
  }
  layers_.push_back(tree_.order.size());
  // Of a pipeline of n segments through g generations, an edge is in use for n of n + g - 1 steps.
  double most = 1;
  for (const Cut& c : cuts_) most = std::max(most, c.count);
  const auto generations = static_cast<double>(layers_.size()) - 2;
  if (pipelined_) crossings_.thin_out(most / (most + std::max(0.0, generations - 1)));
}

void TreePrediction::find_ways_up() {
  if (up_.size() != 0) return;
  up_.reserve(tree_.children.size());
  for (Rank parent = 0; parent < tree_.size(); ++parent) {
    for (const Rank child : tree_.children_of(parent)) up_.add(child, parent);
  }
}

/// One segment of each flow of a fan, and all of them. @param first index of the fan's first edge
void TreePrediction::settle(std::vector<Flow>& flows, std::size_t first, bool upwards) {
  sharing_.settle(flows, upwards ? up_ : down_, first, &crossings_);
  if (!pipelined_) return;
  whole_ = flows;
  for (Flow& flow : whole_) flow.bytes = upwards ? vectors(flow.from) * bytes_ : bytes_;
  sharing_.settle_again(whole_);
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

/// Crossings of the edges from the ranks [begin, end) of the order to their children.
void TreePrediction::count_layer(std::size_t begin, std::size_t end) {
  if (pipelined_) return;
  crossings_.clear();
  for (std::size_t i = begin; i < end; ++i) {
    const Rank v = tree_.order[i];
    for (std::size_t edge = tree_.first[v]; edge < tree_.first[v + 1]; ++edge) {
      crossings_.add(down_.resources(edge));
    }
  }
}

Loads TreePrediction::loads(bool upwards, std::span<const Stream> streams) {
  Loads loads(cost_view_);
  if (upwards) find_ways_up();
  for (const Rank parent : tree_.order) {
    for (std::size_t edge = tree_.first[parent]; edge < tree_.first[parent + 1]; ++edge) {
      const Rank child = tree_.children[edge];
      const Cut c = cut(level_[child]);
      const double each = bytes_ / c.count;
      const Rank from = upwards ? child : parent;
      const Picos start = streams.empty() ? 0 : streams[from].first;
      loads.add(from, upwards ? parent : child, upwards ? up_ : down_, edge, each, c.count, upwards,
                start);
    }
  }
  return loads;
}

/// When the first `bytes` of a stream are there.
Picos TreePrediction::there(const Stream& stream, double bytes) const {
  if (bytes <= stream.grain || stream.grain >= bytes_) return stream.first;
  return stream.first +
         (stream.last - stream.first) * ((bytes - stream.grain) / (bytes_ - stream.grain));
}

void TreePrediction::broadcast(std::vector<Stream>& streams) {
  std::vector<Flow> flows;
  for (std::size_t layer = 0; layer + 1 < layers_.size(); ++layer) {
    count_layer(layers_[layer], layers_[layer + 1]);
    for (std::size_t i = layers_[layer]; i < layers_[layer + 1]; ++i) {
      const Rank v = tree_.order[i];
      const auto children = tree_.children_of(v);
      if (children.empty()) continue;
      const Stream& here = streams[v];
      flows.clear();
      Picos processor = here.first, sends = 0, one_round = 0;
      for (const Rank child : children) {
        const Cut c = cut(level_[child]);
        processor = std::max(processor, there(here, c.segment)) + cost_view_.send(v, c.segment);
        flows.push_back({v, child, c.segment, processor});
        sends += c.count * cost_view_.send(v, c.segment);
        one_round += cost_view_.send(v, c.segment);
      }
      if (tree_.parent[v] != kNoRank) {
        const Cut in = cut(level_[v]);
        sends += (in.count - 1) * cost_view_.recv(v, in.segment);
      }
      settle(flows, tree_.first[v], false);
      // The last segments alone, when all before them are through.
      tails_ = flows;
      Picos after = 0;
      for (std::size_t k = 0; k < children.size(); ++k) {
        tails_[k].bytes = cut(level_[children[k]]).rest;
        after += cost_view_.send(v, tails_[k].bytes);
        tails_[k].start = here.last + after;
      }
      if (pipelined_ || here.last > here.first) {
        sharing_.settle(tails_, down_, tree_.first[v]);
      }
      after = 0;
      for (std::size_t k = 0; k < children.size(); ++k) {
        const Rank child = children[k];
        const Flow& flow = flows[k];
        const Cut c = cut(level_[child]);
        after += cost_view_.send(v, c.rest);
        Stream& out = streams[child];
        out.grain = c.segment;
        out.first = flow.end + cost_view_.recv(child, c.segment);
        out.last = out.first;
        if (c.count == 1 && here.last <= here.first) continue;
        const Picos step = flow.latency + c.rest * flow.per_byte + cost_view_.recv(child, c.rest);
        if (c.count > 1) {
          const Picos flowing =
              flow.start + flow.latency + bytes_ * flow.per_byte + cost_view_.recv(child, c.rest);
          const Picos served = here.first + sends - one_round + after + step;
          const Picos taken = out.first + (c.count - 1) * cost_view_.recv(child, c.segment);
          out.last = std::max({out.last, flowing, served, taken});
        }
        out.last = std::max(out.last, tails_[k].end + cost_view_.recv(child, c.rest));
        if (c.count == 1) out.first = out.last;
      }
    }
  }
}

void TreePrediction::reduce(std::vector<Stream>& streams) {
  find_ways_up();
  std::vector<Flow> flows;
  std::vector<std::pair<Picos, std::size_t>> arrivals;
  for (std::size_t layer = layers_.size() - 1; layer-- > 0;) {
    count_layer(layers_[layer], layers_[layer + 1]);
    for (std::size_t i = layers_[layer]; i < layers_[layer + 1]; ++i) {
      const Rank v = tree_.order[i];
      const auto children = tree_.children_of(v);
      Stream& out = streams[v];
      if (children.empty()) {
        out = {0, 0, bytes_};
        continue;
      }
      flows.clear();
      arrivals.clear();
      for (const Rank child : children) {
        const Cut c = cut(level_[child]);
        const double bytes = vectors(child) * c.segment;
        const Picos start = there(streams[child], c.segment) + cost_view_.send(child, bytes);
        flows.push_back({child, v, bytes, start});
      }
      settle(flows, tree_.first[v], true);
      Picos work = 0;
      for (std::size_t k = 0; k < children.size(); ++k) {
        const Cut c = cut(level_[children[k]]);
        arrivals.push_back({flows[k].end, k});
        work += c.count * (cost_view_.recv(v, c.segment) + cost_view_.combine(v, c.segment));
      }
      std::sort(arrivals.begin(), arrivals.end());
      Picos clock = 0;
      out.grain = 0;
      for (const auto& [at, k] : arrivals) {
        const Cut c = cut(level_[children[k]]);
        clock =
            std::max(clock, at) + cost_view_.recv(v, c.segment) + cost_view_.combine(v, c.segment);
        // What comes whole is there when the first parts are combined, and makes none coarser.
        if (c.count > 1) out.grain = std::max(out.grain, c.segment);
      }
      const bool in_parts = out.grain > 0;
      if (!in_parts) out.grain = bytes_;
      if (tree_.parent[v] != kNoRank) {
        const Cut up = cut(level_[v]);
        work += (up.count - 1) * cost_view_.send(v, up.segment);
      }
      out.first = out.last = clock;
      if (!in_parts) continue;
      out.last = std::max(out.last, arrivals.front().first + work);
      tails_ = flows;
      for (std::size_t k = 0; k < children.size(); ++k) {
        tails_[k].bytes = vectors(children[k]) * cut(level_[children[k]]).rest;
        tails_[k].start = streams[children[k]].last + cost_view_.send(children[k], tails_[k].bytes);
      }
      sharing_.settle(tails_, up_, tree_.first[v]);
      for (std::size_t k = 0; k < children.size(); ++k) {
        const Rank child = children[k];
        const Cut c = cut(level_[child]);
        const Picos taken = cost_view_.recv(v, c.rest) + cost_view_.combine(v, c.rest);
        const Picos flowing = whole_[k].end + taken;
        const Picos sent = streams[child].first + c.count * cost_view_.send(child, c.segment);
        const Picos tail = tails_[k].end - tails_[k].start;
        out.last = std::max({out.last, flowing, tails_[k].end + taken, sent + tail + taken});
      }
    }
  }
}

}  // namespace espalier::cost
