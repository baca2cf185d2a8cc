#include "view/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/json.hpp"
#include "base/progress.hpp"
#include "view/plan_table.hpp"

namespace espalier::view {
namespace {

using schedule::Operation;

constexpr std::uint32_t kSame = 1000;

std::string key_of(const Query& query, std::uint32_t factor) {
  return fmt::format("{}|{}|{}|{}", name_of(query.operation), query.size.value, factor, query.plan);
}

/// Which plans become a point.
struct WantedPoint {
  std::uint64_t most = kMostInFile;  ///< messages of a timeline
  bool even_without_timeline = false;
};

/// Collects points until the file is long enough.
class GridWriter {
 public:
  GridWriter(Answers& answers, const GridOptions& options) : answers_(answers), options_(options) {}

  /// The call that the page shows when it is opened: the plan that was asked for, if one was, and
  /// the chosen one, however many messages it has. Points of other calls leave room for them.
  void add_first() {
    Query query = answers_.subject().first;
    if (!query.plan.empty()) (void)add(query, kSame, {kMostDrawn, false});
    query.plan.clear();
    others_of_first_ = add(query, kSame, {kMostDrawn, true});
  }

  /// The chosen plan and the next ones as they are, then the chosen one at other latencies.
  void add_call(Operation operation, Bytes size) {
    Query query;
    query.operation = operation;
    query.size = size;
    query.root = has_root(operation) ? answers_.subject().first.root : 0;
    const auto candidates = has(query) ? others_of_first_ : add(query, kSame);
    std::uint32_t others = 1;
    std::set<std::string> kinds;
    for (const std::string& name : candidates) {
      if (others >= options_.plans) break;
      if (name.empty() || name == Answers::kMeasured || name == Answers::kFromFile) continue;
      if (!kinds.insert(plan_kind(name)).second) continue;
      query.plan = name;
      if (has(query)) continue;
      if (!add(query, kSame).empty()) ++others;
    }
    query.plan.clear();
    if (candidates.empty() || answers_.subject().machine.levels().size() < 2) return;
    for (const std::uint32_t factor : kLatencyFactors) {
      if (factor != kSame) (void)add(query, factor);
    }
  }

  std::string points() const {
    std::string text = "{";
    for (const auto& [key, document] : points_) {
      text += fmt::format("{}{}:{}", text.size() > 1 ? "," : "", Json(key).dump(), document);
    }
    return text + "}";
  }

 private:
  /// Other plans of the same call, the best first; nothing if the point is left out.
  std::vector<std::string> add(Query query, std::uint32_t factor, const WantedPoint& wanted = {}) {
    if (bytes_ > options_.most_bytes) return {};
    if (factor != kSame) {
      query.changes.levels.push_back({0, factor, kSame});
      query.quick = true;  // other plans are not shown there: their times are predicted
    }
    auto shown = answers_.shown(query, {wanted.most, kTableInFile});
    if (!shown) return {};
    const bool is_drawn = shown->has_timeline && shown->messages <= wanted.most;
    if (!is_drawn && !wanted.even_without_timeline) return {};
    bytes_ += shown->document.size();
    points_.emplace_back(key_of(query, factor), std::move(shown->document));
    // One process has one plan: there is a point all the same.
    if (shown->others.empty()) shown->others.emplace_back();
    return std::move(shown->others);
  }

  [[nodiscard]] bool has(const Query& query) const {
    const std::string key = key_of(query, kSame);
    return std::any_of(points_.begin(), points_.end(),
                       [&](const auto& point) { return point.first == key; });
  }

  Answers& answers_;
  const GridOptions& options_;
  std::size_t bytes_ = 0;
  std::vector<std::string> others_of_first_;
  std::vector<std::pair<std::string, std::string>> points_;
};

}  // namespace

std::string grid_document(Answers& answers, const GridOptions& options) {
  std::vector<Operation> operations = options.operations;
  for (int o = 0; o < schedule::kOperationCount && options.operations.empty(); ++o) {
    operations.push_back(static_cast<Operation>(o));
  }
  std::vector<Bytes> sizes = options.sizes;
  for (const std::uint64_t size : kUsualSizes) {
    if (options.sizes.empty()) sizes.push_back(Bytes{size});
  }
  GridWriter writer(answers, options);
  writer.add_first();
  Progress progress("planning", operations.size() * sizes.size(), Progress::Told::ByTheClock);
  for (const Operation operation : operations) {
    const bool has_size = operation != Operation::Barrier;
    for (const Bytes size : sizes) {
      if (has_size || size == sizes.front()) writer.add_call(operation, size);
      progress.step();
    }
  }
  return fmt::format("{{\"overview\":{},\"points\":{}}}", answers.overview(), writer.points());
}

}  // namespace espalier::view
