#include "select/predict.hpp"

#include <algorithm>

#include "select/blind_tree.hpp"
#include "select/predict_tree.hpp"

namespace espalier::select {
namespace {

Time rounded_up(Picos at) {
  constexpr Picos kMost = 9e18;
  return at >= kMost ? kForever : Time{static_cast<std::int64_t>(at)};
}

}  // namespace

Time predict(const Plan& plan, const Terrain& terrain, const collective::Hierarchy& hierarchy,
             const schedule::Collective& call) {
  if (const auto* choice = std::get_if<collective::MultilevelChoice>(&plan)) {
    return rounded_up(predict_multilevel(*choice, terrain, hierarchy, call));
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
