#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "formats/goal_text.hpp"
#include "formats/load_schedule.hpp"

namespace espalier::formats {
namespace {

using schedule::Buffer;
using schedule::Op;
using schedule::OpKind;
using schedule::Program;
using OpId = std::uint32_t;

/// More than that are joined by a Compute of no time, so that `irequires` cannot multiply them.
constexpr std::size_t kMaxInherited = 8;

/// The operations of a block, each behind all that it names; in the order of the text as far as
/// that allows. Fewer than there are if some wait for each other in a circle.
std::vector<OpId> order_of(const GoalBlock& block, const std::vector<std::vector<GoalWait>>& of) {
  std::vector<std::vector<OpId>> followers(block.ops.size());
  std::vector<std::size_t> open(block.ops.size());
  for (const GoalWait& wait : block.waits) followers[wait.for_op].push_back(wait.op);
  std::priority_queue<OpId, std::vector<OpId>, std::greater<>> ready;
  for (OpId op = 0; op < block.ops.size(); ++op) {
    open[op] = of[op].size();
    if (open[op] == 0) ready.push(op);
  }
  std::vector<OpId> order;
  while (!ready.empty()) {
    const OpId op = ready.top();
    ready.pop();
    order.push_back(op);
    for (const OpId next : followers[op]) {
      if (--open[next] == 0) ready.push(next);
    }
  }
  return order;
}

class BlockReader {
 public:
  explicit BlockReader(const GoalBlock& block) : block_(block), waits_(block.ops.size()) {
    program_.rank = block.rank;
    inherited_.resize(block.ops.size());
    for (const GoalWait& wait : block.waits) {
      waits_[wait.op].push_back(wait);
      if (wait.to_begin) inherited_[wait.for_op] = true;
    }
  }

  /// False if some operations wait for each other in a circle.
  bool read() {
    const std::vector<OpId> order = order_of(block_, waits_);
    if (order.size() != block_.ops.size()) return false;
    placed_.resize(order.size());
    ready_.resize(order.size());
    for (const OpId id : order) place(id);
    return true;
  }
  Program take() { return std::move(program_); }
  /// Where each operation of the text went.
  [[nodiscard]] const std::vector<OpId>& placed() const { return placed_; }

 private:
  void place(OpId id) {
    std::vector<OpId> deps;
    for (const GoalWait& wait : waits_[id]) {
      if (wait.to_begin) {
        deps.insert(deps.end(), ready_[wait.for_op].begin(), ready_[wait.for_op].end());
      } else {
        deps.push_back(placed_[wait.for_op]);
      }
    }
    std::sort(deps.begin(), deps.end());
    deps.erase(std::unique(deps.begin(), deps.end()), deps.end());
    if (inherited_[id] && deps.size() > kMaxInherited) {
      Op join;
      join.kind = OpKind::Compute;
      deps = {append(join, deps)};
    }
    placed_[id] = append(op_of(block_.ops[id]), deps);
    if (inherited_[id]) ready_[id] = std::move(deps);
  }

  Op op_of(const GoalOp& goal) {
    Op op;
    if (goal.kind == GoalOp::Kind::Calc) {
      op.kind = OpKind::Compute;
      op.takes = nanoseconds(static_cast<std::int64_t>(goal.amount));
      return op;
    }
    const bool sends = goal.kind == GoalOp::Kind::Send;
    op.kind = sends ? OpKind::Send : OpKind::Recv;
    op.peer = goal.peer;
    op.tag = goal.tag;
    (sends ? op.from : op.to) = {Buffer::Scratch, 0, goal.amount, {}, {}};
    program_.scratch_units = std::max(program_.scratch_units, goal.amount);
    return op;
  }

  OpId append(Op op, const std::vector<OpId>& deps) {
    op.first_dep = static_cast<std::uint32_t>(program_.deps.size());
    op.dep_count = static_cast<std::uint32_t>(deps.size());
    program_.deps.insert(program_.deps.end(), deps.begin(), deps.end());
    program_.ops.push_back(op);
    return static_cast<OpId>(program_.ops.size() - 1);
  }

  const GoalBlock& block_;
  Program program_;
  std::vector<std::vector<GoalWait>> waits_;  // waits of each operation
  std::vector<bool> inherited_;               // somebody waits for it to begin
  std::vector<std::vector<OpId>> ready_;      // what it waits for, if so
  std::vector<OpId> placed_;
};

/// One end of a message. Ours must not share a tag with another of its pair.
struct End {
  Rank from, to;
  std::uint32_t tag;
  std::uint32_t nth;  // index among the messages of this pair and tag, in the order of the text
  bool sends;
  Op* op;

  [[nodiscard]] auto pair() const { return std::tuple(from, to); }
  [[nodiscard]] auto name() const { return std::tuple(from, to, tag, nth); }
};

/// Pairs the n-th send of a name with its n-th receive. Pairs of ranks with tags used once keep
/// theirs. True if tags were changed.
bool make_tags_unique(std::vector<End>& ends) {
  const auto series = [](const End& e) { return std::tuple(e.from, e.to, e.tag, e.sends); };
  std::stable_sort(ends.begin(), ends.end(),
                   [&](const End& a, const End& b) { return series(a) < series(b); });
  for (std::size_t i = 1; i < ends.size(); ++i) {
    if (series(ends[i]) == series(ends[i - 1])) ends[i].nth = ends[i - 1].nth + 1;
  }
  std::stable_sort(ends.begin(), ends.end(),
                   [](const End& a, const End& b) { return a.name() < b.name(); });
  bool changed = false;
  for (std::size_t begin = 0, end = 0; begin < ends.size(); begin = end) {
    bool repeats = false;
    for (; end < ends.size() && ends[end].pair() == ends[begin].pair(); ++end) {
      repeats |= ends[end].nth > 0;
    }
    if (!repeats) continue;
    changed = true;
    std::uint32_t tag = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin && ends[i].name() != ends[i - 1].name()) ++tag;
      ends[i].op->tag = tag;
    }
  }
  return changed;
}

}  // namespace

Expected<LoadedSchedule> read_goal(std::string_view text, const std::string& file) {
  const auto goal = parse_goal_text(text, file);
  if (!goal) return goal.error();
  LoadedSchedule loaded;
  loaded.schedule.algorithm = "goal";
  loaded.schedule.call.operation = schedule::Operation::Unknown;
  loaded.schedule.call.size = goal->ranks;
  std::vector<std::vector<OpId>> placed;
  for (const GoalBlock& block : goal->blocks) {
    BlockReader reader(block);
    if (!reader.read()) {
      return Error{fmt::format("{}:{}", file, block.line),
                   fmt::format("operations of rank {} wait for each other in a circle", block.rank),
                   "look at its requires and irequires"};
    }
    placed.push_back(reader.placed());
    loaded.schedule.programs.push_back(reader.take());
  }
  std::vector<End> ends;
  for (std::size_t r = 0; r < placed.size(); ++r) {
    Program& program = loaded.schedule.programs[r];
    for (const OpId id : placed[r]) {
      Op& op = program.ops[id];
      if (op.kind == OpKind::Send) ends.push_back({program.rank, op.peer, op.tag, 0, true, &op});
      if (op.kind == OpKind::Recv) ends.push_back({op.peer, program.rank, op.tag, 0, false, &op});
    }
  }
  if (make_tags_unique(ends)) {
    loaded.notes.emplace_back(
        "messages of one pair of ranks with equal tags are paired in the order in which they "
        "stand");
  }
  return loaded;
}

}  // namespace espalier::formats
