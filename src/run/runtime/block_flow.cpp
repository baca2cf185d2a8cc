#include <deque>
#include <map>
#include <tuple>

#include "base/contract.hpp"
#include "runtime/element_program.hpp"
#include "runtime/prepared.hpp"

namespace espalier::runtime {

using schedule::Buffer;
using schedule::Op;
using schedule::OpKind;
using schedule::Region;

namespace {

class BlockFlow {
 public:
  BlockFlow(Rank watched, const std::vector<schedule::Program>& programs) : watched_(watched) {
    for (const schedule::Program& program : programs) {
      State state;
      state.program = prepare(program, [](Rank) { return PeerLink{}; });
      state.waits = state.program.waits;
      state.open = state.program.message_count;
      state.scratch.resize(program.scratch_units);
      ranks_.push_back(std::move(state));
    }
    seen_.resize(programs[watched].ops.size());
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      seen_[i].resize(std::max<std::uint32_t>(1, ranks_[watched].program.message_count[i]));
    }
  }

  BlocksOfRank run() && {
    for (Rank r = 0; r < ranks_.size(); ++r) {
      for (std::uint32_t op = 0; op < ranks_[r].waits.size(); ++op) {
        if (ranks_[r].waits[op] == 0) ready_.push_back({r, op});
      }
    }
    std::size_t left = 0;
    for (const State& state : ranks_) left += state.waits.size();
    while (!ready_.empty()) {
      const Step step = ready_.front();
      ready_.pop_front();
      begin(step);
    }
    expects(ended_ == left, "blocks_through: the schedule never ends");
    return std::move(seen_);
  }

 private:
  struct Step {
    Rank rank;
    std::uint32_t op;
  };
  struct State {
    PreparedProgram program;
    std::vector<std::uint32_t> waits;
    std::vector<std::uint32_t> open;  // messages of each op that are still to come
    Blocks scratch;                   // the block in each unit
    Blocks out;                       // the block in the only unit of Out
  };
  struct Receive {
    Step step;
    std::uint32_t message;  // index among the op's messages
  };
  using Key = std::tuple<Rank, Rank, std::uint32_t>;  // sender, receiver, tag

  void begin(const Step& step) {
    const PreparedProgram& program = ranks_[step.rank].program;
    const Op& op = program.program.ops[step.op];
    if (op.kind == OpKind::Copy || op.kind == OpKind::Reduce) {
      Blocks blocks = read(step.rank, op.from);
      if (op.kind == OpKind::Copy) write(step.rank, op.to, blocks);
      note(step, 0, std::move(blocks));
      return end(step);
    }
    if (ranks_[step.rank].open[step.op] == 0) return end(step);
    const std::uint32_t first = program.first_message[step.op];
    for (std::uint32_t m = first; m < program.first_message[step.op + 1]; ++m) {
      const Message& message = program.messages[program.messages_of_op[m]];
      const Lane& lane = program.lanes[message.lane];
      if (op.kind == OpKind::Send) {
        Blocks blocks = read(step.rank, message.region);
        note(step, m - first, blocks);
        deliver({step.rank, lane.peer, op.tag}, std::move(blocks));
      } else {
        receive({lane.peer, step.rank, op.tag}, {step, m - first});
      }
    }
    if (op.kind == OpKind::Send) end(step);
  }

  void deliver(const Key& key, Blocks blocks) {
    const auto waiting = receives_.find(key);
    if (waiting == receives_.end()) {
      under_way_.emplace(key, std::move(blocks));
      return;
    }
    const Receive receive = waiting->second;
    receives_.erase(waiting);
    arrive(receive, std::move(blocks));
  }
  void receive(const Key& key, const Receive& receive) {
    const auto sent = under_way_.find(key);
    if (sent == under_way_.end()) {
      receives_.emplace(key, receive);
      return;
    }
    Blocks blocks = std::move(sent->second);
    under_way_.erase(sent);
    arrive(receive, std::move(blocks));
  }
  void arrive(const Receive& receive, Blocks blocks) {
    State& state = ranks_[receive.step.rank];
    const std::uint32_t m = state.program.first_message[receive.step.op] + receive.message;
    write(receive.step.rank, state.program.messages[state.program.messages_of_op[m]].region,
          blocks);
    note(receive.step, receive.message, std::move(blocks));
    if (--state.open[receive.step.op] == 0) end(receive.step);
  }

  void end(const Step& step) {
    ++ended_;
    State& state = ranks_[step.rank];
    for (const std::uint32_t next : state.program.dependents_of(step.op)) {
      if (--state.waits[next] == 0) ready_.push_back({step.rank, next});
    }
  }

  void note(const Step& step, std::uint32_t message, Blocks blocks) {
    if (step.rank == watched_) seen_[step.op][message] = std::move(blocks);
  }

  [[nodiscard]] Blocks read(Rank rank, const Region& region) const {
    const State& state = ranks_[rank];
    Blocks blocks;
    for_each_unit(rank, region, [&](std::uint64_t unit) {
      blocks.push_back(region.buffer == Buffer::In        ? static_cast<std::uint32_t>(unit)
                       : region.buffer == Buffer::Scratch ? state.scratch[unit]
                                                          : state.out[unit]);
    });
    return blocks;
  }
  void write(Rank rank, const Region& region, const Blocks& blocks) {
    State& state = ranks_[rank];
    Blocks& held = region.buffer == Buffer::Scratch ? state.scratch : state.out;
    std::size_t next = 0;
    for_each_unit(rank, region, [&](std::uint64_t unit) {
      if (held.size() <= unit) held.resize(unit + 1);
      held[unit] = blocks[next++];
    });
  }
  template <typename Visit>
  void for_each_unit(Rank rank, const Region& region, Visit visit) const {
    for_each_stretch(ranks_[rank].program.program, region,
                     [&](std::uint64_t offset, std::uint64_t length) {
                       for (std::uint64_t u = offset; u < offset + length; ++u) visit(u);
                     });
  }

  Rank watched_;
  std::vector<State> ranks_;
  std::deque<Step> ready_;
  std::map<Key, Blocks> under_way_;
  std::map<Key, Receive> receives_;
  std::size_t ended_ = 0;
  BlocksOfRank seen_;
};

}  // namespace

BlocksOfRank blocks_through(const schedule::Collective& call, Rank rank,
                            const std::vector<schedule::Program>& programs) {
  expects(call.irregular() && call.operation == schedule::Operation::ReduceScatter,
          "blocks_through: not a reduce-scatter of blocks of different lengths");
  return BlockFlow(rank, programs).run();
}

}  // namespace espalier::runtime
