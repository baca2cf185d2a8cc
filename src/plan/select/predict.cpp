#include "select/predict.hpp"

#include <algorithm>
#include <numeric>

#include "select/predict_tree.hpp"
#include "select/speed_tree.hpp"
#include "topology/views.hpp"

namespace espalier::select {
namespace {

Time rounded_up(Picos at) {
  constexpr Picos kMost = 9e18;
  return at >= kMost ? kForever : Time{static_cast<std::int64_t>(at)};
}

}  // namespace

Time predict(const Plan& plan, const CostView& cost_view, const collective::Hierarchy& hierarchy,
             const schedule::Collective& call) {
  const auto bytes_of = [&](const collective::LevelChoice& level) {
    return static_cast<double>(level.segment * call.element.value);
  };
  const Partials partials = call.commutative ? Partials::One : Partials::Runs;
  const auto multilevel = [&](const collective::MultilevelChoice& choice, Partials which) {
    std::vector<double> segments;
    for (const auto& level : choice.levels) segments.push_back(bytes_of(level));
    return rounded_up(predict_multilevel(choice, segments, cost_view, hierarchy, call, which));
  };
  if (const auto* choice = std::get_if<collective::MultilevelChoice>(&plan)) {
    return multilevel(*choice, partials);
  }
  if (const auto* fixed = std::get_if<FixedOrder>(&plan)) {
    collective::MultilevelChoice choice = fixed->choice;
    choice.top = collective::Top::Tree;
    return multilevel(choice, Partials::Blocks);
  }
  if (const auto* striped = std::get_if<collective::StripedChoice>(&plan)) {
    return rounded_up(predict_striped(*striped, cost_view, hierarchy, call));
  }
  if (const auto* baseline = std::get_if<TwoLevel>(&plan)) {
    const topology::Machine view = topology::two_level_view(hierarchy.machine(), baseline->depth);
    std::vector<double> segments;
    for (std::uint32_t l = 0; l < hierarchy.machine().levels().size(); ++l) {
      const std::size_t seen = l < baseline->depth ? 0 : baseline->choice.levels.size() - 1;
      segments.push_back(bytes_of(baseline->choice.levels[seen]));
    }
    return rounded_up(predict_multilevel(baseline->choice, segments, cost_view,
                                         collective::Hierarchy(view), call, partials));
  }
  if (const auto* tree = std::get_if<BlindTree>(&plan)) {
    return rounded_up(predict_blind_tree(*tree, cost_view, call));
  }
  if (const auto* speed = std::get_if<SpeedTree>(&plan)) {
    const WholeTree whole = whole_tree(speed_tree(*speed, hierarchy.machine(), call));
    return rounded_up(predict_one_tree(whole, 0, cost_view, call));
  }
  if (const auto* along = std::get_if<AlongTree>(&plan)) {
    const auto ranks = cost_view.machine().placement();
    std::vector<Rank> order(call.size);
    for (Rank r = 0; r < call.size; ++r) order[ranks[r]] = r;
    return rounded_up(predict_classical(along->name, std::move(order), cost_view, call));
  }
  std::vector<Rank> by_number(call.size);
  std::iota(by_number.begin(), by_number.end(), Rank{0});
  return rounded_up(
      predict_classical(std::get<Classical>(plan).name, std::move(by_number), cost_view, call));
}

Picos predict_blind_tree(const BlindTree& plan, const CostView& cost_view,
                         const schedule::Collective& call) {
  return predict_one_tree(whole_tree(blind_tree(plan.shape, call.size, call.root)),
                          static_cast<double>(plan.segment * call.element.value), cost_view, call);
}

Picos predict_one_tree(const WholeTree& tree, double segment, const CostView& cost_view,
                       const schedule::Collective& call) {
  const double bytes = static_cast<double>(call.count * call.element.value);
  const std::vector<double> segments(cost_view.machine().levels().size(), segment);
  TreePrediction prediction(cost_view, tree, bytes, segments);
  std::vector<Stream> streams(call.size, {0, 0, bytes});
  if (call.operation == schedule::Operation::Reduce) {
    prediction.reduce(streams);
    return std::max(streams[call.root].last, prediction.busiest_link(true, streams));
  }
  prediction.broadcast(streams);
  Picos last = prediction.busiest_link(false, streams);
  for (const Stream& stream : streams) last = std::max(last, stream.last);
  return last;
}

}  // namespace espalier::select
