#include "select/predict.hpp"

#include <algorithm>

#include "select/blind_tree.hpp"
#include "select/predict_tree.hpp"
#include "topology/views.hpp"

namespace espalier::select {
namespace {

Time rounded_up(Picos at) {
  constexpr Picos kMost = 9e18;
  return at >= kMost ? kForever : Time{static_cast<std::int64_t>(at)};
}

}  // namespace

Time predict(const Plan& plan, const Terrain& terrain, const collective::Hierarchy& hierarchy,
             const schedule::Collective& call) {
  const auto bytes_of = [&](const collective::LevelChoice& level) {
    return static_cast<double>(level.segment * call.element.value);
  };
  if (const auto* choice = std::get_if<collective::MultilevelChoice>(&plan)) {
    std::vector<double> segments;
    for (const auto& level : choice->levels) segments.push_back(bytes_of(level));
    return rounded_up(predict_multilevel(*choice, segments, terrain, hierarchy, call));
  }
  if (const auto* striped = std::get_if<collective::StripedChoice>(&plan)) {
    return rounded_up(predict_striped(*striped, terrain, hierarchy, call));
  }
  if (const auto* baseline = std::get_if<TwoLevel>(&plan)) {
    const topology::Machine view = topology::two_level_view(hierarchy.machine(), baseline->depth);
    std::vector<double> segments;
    for (std::uint32_t l = 0; l < hierarchy.machine().levels().size(); ++l) {
      const std::size_t seen = l < baseline->depth ? 0 : baseline->choice.levels.size() - 1;
      segments.push_back(bytes_of(baseline->choice.levels[seen]));
    }
    return rounded_up(
        predict_multilevel(baseline->choice, segments, terrain, collective::Hierarchy(view), call));
  }
  if (const auto* tree = std::get_if<BlindTree>(&plan)) {
    return rounded_up(predict_blind_tree(*tree, terrain, call));
  }
  return rounded_up(predict_classical(std::get<Classical>(plan), terrain, call));
}

Picos predict_blind_tree(const BlindTree& plan, const Terrain& terrain,
                         const schedule::Collective& call) {
  const WholeTree tree = whole_tree(blind_tree(plan.shape, call.size, call.root));
  const double bytes = static_cast<double>(call.count * call.element.value);
  const std::vector<double> segments(terrain.machine().levels().size(),
                                     static_cast<double>(plan.segment * call.element.value));
  TreePrediction prediction(terrain, tree, bytes, segments);
  std::vector<Stream> streams(call.size, {0, 0, bytes});
  if (call.operation == schedule::Operation::Reduce) {
    prediction.reduce(streams);
    return streams[call.root].last;
  }
  prediction.broadcast(streams);
  Picos last = 0;
  for (const Stream& stream : streams) last = std::max(last, stream.last);
  return last;
}

}  // namespace espalier::select
