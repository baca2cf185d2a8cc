#include "formats/msccl_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "formats/block_bytes.hpp"
#include "verify/checks.hpp"
#include "verify/verify.hpp"

namespace espalier::formats {
namespace {

using schedule::Op;
using schedule::Operands;
using schedule::OpKind;
using schedule::Program;
using schedule::Region;
using schedule::Schedule;
using verify::Message;
using verify::OpEvent;
using verify::OpId;
using verify::Traffic;
using Kind = ThreadStep::Kind;
using Slice = ThreadStep::Slice;
using Space = ThreadStep::Space;

/// The last step to wait for in each thread block.
using Done = std::map<std::uint32_t, std::uint32_t>;

void merge(Done& into, const Done& other) {
  for (const auto& [block, step] : other) {
    std::uint32_t& last = into.emplace(block, step).first->second;
    last = std::max(last, step);
  }
}

/// A stretch that is contiguous at both ends.
struct Piece {
  Slice src, dst;
  std::uint64_t count = 0;
};

std::vector<std::pair<std::uint64_t, std::uint64_t>> stretches(const Program& program,
                                                               const Region& region) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  for_each_stretch(program, region, [&](std::uint64_t offset, std::uint64_t length) {
    found.emplace_back(offset, length);
  });
  return found;
}

/// @pre equal numbers of units
std::vector<Piece> pieces_of(const Program& from_program, const Region& from,
                             const Program& to_program, const Region& to) {
  auto source = stretches(from_program, from);
  auto target = stretches(to_program, to);
  std::vector<Piece> pieces;
  for (std::size_t s = 0, t = 0; s < source.size() && t < target.size();) {
    auto& [from_at, from_left] = source[s];
    auto& [to_at, to_left] = target[t];
    const std::uint64_t count = std::min(from_left, to_left);
    pieces.push_back({{static_cast<Space>(from.buffer), from_at},
                      {static_cast<Space>(to.buffer), to_at},
                      count});
    from_at += count;
    to_at += count;
    from_left -= count;
    to_left -= count;
    s += from_left == 0 ? 1 : 0;
    t += to_left == 0 ? 1 : 0;
  }
  return pieces;
}

class Cutter {
 public:
  Cutter(const Schedule& schedule, const Traffic& traffic, bool keep_operands)
      : schedule_(schedule),
        traffic_(traffic),
        keep_operands_(keep_operands),
        programs_(schedule.call.size),
        ids_(schedule.call.size),
        begun_(traffic.ops()),
        done_(traffic.ops()) {}

  /// False if there are too many steps.
  bool run(const std::vector<OpEvent>& order) {
    for (const OpEvent& event : order) {
      if (!event.end) begin(event.op);
      if (steps_ > kMaxBlockSteps) return false;
    }
    return true;
  }
  std::vector<BlockProgram> take() { return std::move(programs_); }

 private:
  void begin(OpId id) {
    begun_[id] = true;
    const Op& op = traffic_.op(schedule_, id);
    const bool message = op.kind == OpKind::Send || op.kind == OpKind::Recv;
    if (!message || traffic_.messages_of(id).empty()) done_[id] = waits_of(id);
    if (op.kind == OpKind::Copy || op.kind == OpKind::Reduce) local(id, op);
    for (const std::uint32_t m : traffic_.messages_of(id)) {
      const Message& over = traffic_.messages[m];
      if (begun_[over.send] && begun_[over.recv]) carry(over);
    }
  }

  /// All that an op waits for has ended before it begins.
  [[nodiscard]] Done waits_of(OpId id) const {
    Done waits;
    const Rank rank = traffic_.rank_of[id];
    for (const std::uint32_t dep : schedule_.programs[rank].deps_of(traffic_.op(schedule_, id))) {
      merge(waits, done_[traffic_.first_op[rank] + dep]);
    }
    return waits;
  }

  void carry(const Message& message) {
    const Op& send = traffic_.op(schedule_, message.send);
    const Op& recv = traffic_.op(schedule_, message.recv);
    const auto pieces =
        pieces_of(schedule_.programs[message.from], verify::region_of_message(send, message.to),
                  schedule_.programs[message.to], verify::region_of_message(recv, message.from));
    const std::uint32_t out = block_of(message.from, message.to, -1);
    const std::uint32_t in = block_of(message.to, -1, message.from);
    put(message.from, out, steps_of(Kind::Send, pieces), message.send);
    put(message.to, in, steps_of(Kind::Recv, pieces), message.recv);
  }

  void local(OpId id, const Op& op) {
    const Rank rank = traffic_.rank_of[id];
    const Program& program = schedule_.programs[rank];
    const std::uint32_t block = block_of(rank, -1, -1);
    std::vector<Piece> pieces = pieces_of(program, op.from, program, op.to);
    if (op.kind == OpKind::Copy) return put(rank, block, steps_of(Kind::Copy, pieces), id);
    if (op.operands == Operands::ToThenFrom || !keep_operands_) {
      return put(rank, block, steps_of(Kind::Reduce, pieces), id);
    }
    // temporary = from; temporary = temporary (op) to; to = temporary. One after the other in one
    // thread block, so all such steps can share it.
    std::vector<ThreadStep> steps;
    for (const Piece& piece : pieces) {
      const Slice temporary{Space::Temporary, 0};
      programs_[rank].temporary = std::max(programs_[rank].temporary, piece.count);
      steps.push_back(step_of(Kind::Copy, {piece.src, temporary, piece.count}));
      steps.push_back(step_of(Kind::Reduce, {piece.dst, temporary, piece.count}));
      steps.push_back(step_of(Kind::Copy, {temporary, piece.dst, piece.count}));
    }
    put(rank, block, std::move(steps), id);
  }

  static ThreadStep step_of(Kind kind, const Piece& piece) {
    return {kind, piece.src, piece.dst, piece.count, -1, -1, false};
  }
  static std::vector<ThreadStep> steps_of(Kind kind, const std::vector<Piece>& pieces) {
    std::vector<ThreadStep> steps;
    for (const Piece& piece : pieces) steps.push_back(step_of(kind, piece));
    return steps;
  }

  /// Steps at the end of a thread block; the first waits for what the op waits for.
  void put(Rank rank, std::uint32_t block, std::vector<ThreadStep> steps, OpId id) {
    Done waits = waits_of(id);
    if (steps.empty()) return merge(done_[id], waits);
    ThreadBlock& into = programs_[rank].blocks[block];
    waits.erase(block);  // earlier in the same one
    for (auto it = waits.begin(); it != waits.end(); ++it) {
      announce(rank, *it);
      const bool last = std::next(it) == waits.end();
      ThreadStep alone;  // all but the last wait need a step of their own
      ThreadStep& waiting = last ? steps.front() : alone;
      waiting.dep_block = it->first;
      waiting.dep_step = it->second;
      if (!last) into.steps.push_back(alone);
    }
    into.steps.insert(into.steps.end(), steps.begin(), steps.end());
    steps_ += steps.size() + waits.size();
    merge(done_[id], {{block, static_cast<std::uint32_t>(into.steps.size() - 1)}});
  }
  void announce(Rank rank, const Done::value_type& wait) {
    programs_[rank].blocks[wait.first].steps[wait.second].announced = true;
  }

  std::uint32_t block_of(Rank rank, std::int64_t send, std::int64_t recv) {
    auto& blocks = programs_[rank].blocks;
    const auto [it, is_new] =
        ids_[rank].try_emplace({send, recv}, static_cast<std::uint32_t>(blocks.size()));
    if (is_new) blocks.push_back({send, recv, {}});
    return it->second;
  }

  const Schedule& schedule_;
  const Traffic& traffic_;
  bool keep_operands_;
  std::vector<BlockProgram> programs_;
  std::vector<std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t>> ids_;
  std::vector<bool> begun_;
  std::vector<Done> done_;  // what is done of each op so far
  std::uint64_t steps_ = 0;
};

}  // namespace

Expected<std::vector<BlockProgram>> thread_blocks(const Schedule& schedule, bool keep_operands) {
  verify::Findings findings(1);
  verify::check_structure(schedule, verify::Limits{}.slices, findings);
  if (findings.none()) {
    if (const auto traffic = match_messages(schedule, findings)) {
      if (const auto order = synchronous_order(schedule, *traffic, findings)) {
        Cutter cutter(schedule, *traffic, keep_operands);
        if (cutter.run(*order)) return cutter.take();
        return Error{"schedule", fmt::format("more than {} steps", kMaxBlockSteps),
                     "take fewer ranks or larger segments"};
      }
    }
  }
  verify::Verdict verdict;
  std::move(findings).hand_over(verdict);
  return refusal("not a sound schedule", to_string(verdict.findings.at(0)));
}

}  // namespace espalier::formats
