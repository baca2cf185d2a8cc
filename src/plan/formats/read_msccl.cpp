#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <tuple>

#include "formats/load_schedule.hpp"
#include "formats/msccl_buffers.hpp"
#include "formats/msccl_text.hpp"
#include "verify/interval_map.hpp"

namespace espalier::formats {
namespace {

using schedule::Op;
using schedule::Operands;
using schedule::OpKind;
using schedule::Program;
using schedule::Region;
using OpId = std::uint32_t;
/// The ops whose end is that of a step; few, see joined().
using DoneSteps = std::vector<OpId>;

struct StepId {
  std::uint32_t block = 0;
  std::uint32_t step = 0;
};

/// All steps of a GPU, each behind the one before it in its block and the one it depends on: of
/// those that could come next the one with the lowest number first. Fewer than there are if some
/// wait for each other in a circle.
std::vector<StepId> order_of_steps(const MscclGpu& gpu) {
  std::vector<std::vector<std::uint8_t>> open(gpu.blocks.size());
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<StepId>> followers;
  const auto later = [](const StepId& a, const StepId& b) {
    return std::tie(a.step, a.block) > std::tie(b.step, b.block);
  };
  std::priority_queue<StepId, std::vector<StepId>, decltype(later)> ready(later);
  for (std::uint32_t b = 0; b < gpu.blocks.size(); ++b) {
    const auto& steps = gpu.blocks[b].steps;
    for (std::uint32_t s = 0; s < steps.size(); ++s) {
      const bool depends = steps[s].dep_block >= 0;
      open[b].push_back(static_cast<std::uint8_t>((s > 0 ? 1 : 0) + (depends ? 1 : 0)));
      if (depends) {
        followers[{static_cast<std::uint32_t>(steps[s].dep_block),
                   static_cast<std::uint32_t>(steps[s].dep_step)}]
            .push_back({b, s});
      }
      if (open[b][s] == 0) ready.push({b, s});
    }
  }
  std::vector<StepId> order;
  const auto close = [&](const StepId& id) {
    if (--open[id.block][id.step] == 0) ready.push(id);
  };
  while (!ready.empty()) {
    const StepId id = ready.top();
    ready.pop();
    order.push_back(id);
    if (id.step + 1 < open[id.block].size()) close({id.block, id.step + 1});
    const auto it = followers.find({id.block, id.step});
    if (it == followers.end()) continue;
    for (const StepId& next : it->second) close(next);
  }
  return order;
}

class GpuReader {
 public:
  GpuReader(const MscclText& text, Rank rank)
      : text_(text), gpu_(text.gpus[rank]), buffers_(text, rank) {
    program_.rank = rank;
    program_.scratch_units = buffers_.scratch();
  }

  /// Nothing if steps wait for each other in a circle.
  std::optional<Program> read() {
    const std::vector<StepId> order = order_of_steps(gpu_);
    std::size_t steps = 0;
    for (const MscclBlock& block : gpu_.blocks) {
      steps += block.steps.size();
      done_.emplace_back(block.steps.size());
    }
    if (order.size() != steps) return std::nullopt;
    find_overwritten(order);
    DoneSteps begin;
    if (const auto first = buffers_.before()) begin = {local(*first, {})};
    for (std::size_t i = 0; i < order.size(); ++i) place(order[i], begin, overwritten_[i]);
    if (const auto last = buffers_.after()) {
      DoneSteps all = begin;
      for (const auto& block : done_) {
        if (!block.empty()) all.insert(all.end(), block.back().begin(), block.back().end());
      }
      local(*last, joined(std::move(all)));
    }
    return std::move(program_);
  }

 private:
  [[nodiscard]] const MscclStep& step(const StepId& id) const {
    return gpu_.blocks[id.block].steps[id.step];
  }
  [[nodiscard]] Region src(const MscclStep& step) const {
    return buffers_.region(step.src, step.count);
  }
  [[nodiscard]] Region dst(const MscclStep& step) const {
    return buffers_.region(step.dst, step.count);
  }

  /// Of each step that sends: whether a step that comes later overwrites what it sends. In the
  /// queue it would be safe.
  void find_overwritten(const std::vector<StepId>& order) {
    std::array<verify::IntervalMap<bool>, 3> written;
    overwritten_.assign(order.size(), false);
    for (std::size_t i = order.size(); i-- > 0;) {
      const MscclStep& s = step(order[i]);
      if (s.count == 0) continue;
      if (s.sends() && s.kind != MscclKind::RecvReduceSend) {
        const Region sent = s.kind == MscclKind::Send ? src(s) : dst(s);
        written[static_cast<std::size_t>(sent.buffer)].for_each(
            sent.offset, sent.offset + sent.length,
            [&](std::uint64_t, std::uint64_t, const bool* hit) {
              if (hit != nullptr) overwritten_[i] = true;
            });
      }
      if (!s.writes_dst()) continue;
      const Region to = dst(s);
      written[static_cast<std::size_t>(to.buffer)].assign(to.offset, to.offset + to.length, true);
    }
  }

  void place(const StepId& id, const DoneSteps& begin, bool overwritten) {
    const MscclStep& s = step(id);
    DoneSteps deps = id.step > 0 ? done_[id.block][id.step - 1] : begin;
    if (s.dep_block >= 0) {
      const DoneSteps& other =
          done_[static_cast<std::size_t>(s.dep_block)][static_cast<std::size_t>(s.dep_step)];
      deps.insert(deps.end(), other.begin(), other.end());
    }
    deps = joined(std::move(deps));
    const MscclBlock& block = gpu_.blocks[id.block];
    done_[id.block][id.step] = s.count == 0 ? std::move(deps) : run(s, block, deps, overwritten);
  }

  DoneSteps run(const MscclStep& s, const MscclBlock& block, const DoneSteps& deps,
                bool overwritten) {
    switch (s.kind) {
      case MscclKind::Send:
        return send(block, src(s), deps, overwritten);
      case MscclKind::Recv:
        return {recv(block, dst(s), deps)};
      case MscclKind::RecvCopySend:
        return send(block, dst(s), {recv(block, dst(s), deps)}, overwritten);
      case MscclKind::RecvReduceCopy:
        return {receive_and_combine(s, block, deps)};
      case MscclKind::RecvReduceCopySend:
        return send(block, dst(s), {receive_and_combine(s, block, deps)}, overwritten);
      case MscclKind::RecvReduceSend: {
        const Region slot = take_slot(s.count);
        const OpId got = recv(block, slot, deps);
        return send(block, slot, {combine(src(s), slot, Operands::FromThenTo, {got})}, false);
      }
      case MscclKind::Reduce:
        return {combine(src(s), dst(s), Operands::ToThenFrom, deps)};
      case MscclKind::Copy:
        if (src(s) == dst(s)) return deps;  // in place, or a broadcast's root
        return {local({src(s), dst(s)}, deps)};
      case MscclKind::Nothing:
        break;
    }
    return deps;
  }

  /// dst = src (op) what arrives.
  OpId receive_and_combine(const MscclStep& s, const MscclBlock& block, const DoneSteps& deps) {
    const Region from = src(s);
    const Region to = dst(s);
    const bool apart = from.buffer != to.buffer || from.offset + from.length <= to.offset ||
                       to.offset + to.length <= from.offset;
    if (apart) {
      return combine(from, to, Operands::FromThenTo, {recv(block, to, deps)});
    }
    const Region slot = take_slot(s.count);
    const OpId got = recv(block, slot, deps);
    if (from == to) return combine(slot, to, Operands::ToThenFrom, {got});
    return local({slot, to}, {combine(from, slot, Operands::FromThenTo, {got})});
  }

  DoneSteps send(const MscclBlock& block, const Region& from, const DoneSteps& deps,
                 bool overwritten) {
    Op op;
    op.kind = OpKind::Send;
    op.peer = static_cast<Rank>(block.send);
    op.tag = next_tag(sent_[{block.send, block.channel}], block);
    op.from = from;
    if (!overwritten) {
      append(op, deps);
      return deps;  // nobody waits for it: the queue takes it
    }
    op.from = take_slot(from.length);
    DoneSteps copied{local({from, op.from}, deps)};
    append(op, copied);
    return copied;
  }
  OpId recv(const MscclBlock& block, const Region& to, const DoneSteps& deps) {
    Op op;
    op.kind = OpKind::Recv;
    op.peer = static_cast<Rank>(block.recv);
    op.tag = next_tag(received_[{block.recv, block.channel}], block);
    op.to = to;
    return append(op, deps);
  }
  /// The n-th message of a connection, different from all others of the pair.
  std::uint32_t next_tag(std::uint32_t& count, const MscclBlock& block) const {
    return count++ * text_.channels + block.channel;
  }
  OpId combine(const Region& from, const Region& to, Operands operands, const DoneSteps& deps) {
    Op op;
    op.kind = OpKind::Reduce;
    op.operands = operands;
    op.from = from;
    op.to = to;
    return append(op, deps);
  }
  OpId local(const LocalCopy& copy, const DoneSteps& deps) {
    Op op;
    op.kind = OpKind::Copy;
    op.from = copy.from;
    op.to = copy.to;
    return append(op, deps);
  }
  Region take_slot(std::uint64_t count) {
    const Region slot = schedule::slice(schedule::Buffer::Scratch, program_.scratch_units, count);
    program_.scratch_units += count;
    return slot;
  }

  /// Each once; many become one, so that lists of them do not grow along a thread block.
  DoneSteps joined(DoneSteps deps) {
    constexpr std::size_t kMost = 8;
    std::sort(deps.begin(), deps.end());
    deps.erase(std::unique(deps.begin(), deps.end()), deps.end());
    if (deps.size() <= kMost) return deps;
    Op joint;
    joint.kind = OpKind::Compute;
    return {append(joint, deps)};
  }
  OpId append(Op op, const DoneSteps& deps) {
    op.first_dep = static_cast<std::uint32_t>(program_.deps.size());
    op.dep_count = static_cast<std::uint32_t>(deps.size());
    program_.deps.insert(program_.deps.end(), deps.begin(), deps.end());
    program_.ops.push_back(op);
    return static_cast<OpId>(program_.ops.size() - 1);
  }

  const MscclText& text_;
  const MscclGpu& gpu_;
  MscclBuffers buffers_;
  Program program_;
  std::vector<bool> overwritten_;  // whether each step is overwritten, by place in the order
  std::vector<std::vector<DoneSteps>> done_;  // what is done, by block and step
  std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t> sent_, received_;
};

}  // namespace

Expected<LoadedSchedule> read_msccl(std::string_view text, const std::string& file) {
  const auto msccl = parse_msccl_text(text, file);
  if (!msccl) return msccl.error();
  LoadedSchedule loaded;
  loaded.schedule.call = msccl->call;
  loaded.schedule.algorithm = msccl->name;
  for (Rank rank = 0; rank < msccl->call.size; ++rank) {
    auto program = GpuReader(*msccl, rank).read();
    if (!program) {
      return Error{msccl->gpus[rank].where,
                   fmt::format("steps of GPU {} wait for each other in a circle", rank),
                   "look at depid and deps"};
    }
    loaded.schedule.programs.push_back(*std::move(program));
  }
  if (msccl->both_places) {
    loaded.notes.emplace_back(
        "the file is said to work in place as well; only out of place was looked at");
  }
  return loaded;
}

}  // namespace espalier::formats
