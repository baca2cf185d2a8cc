#include "runtime/multicast_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "select/predict.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"
#include "topology/views.hpp"

namespace espalier::runtime {
namespace {

using schedule::Op;
using schedule::OpKind;

using Data = std::vector<std::uint8_t>;

/// Runs all ranks' programs over their Out, each step as soon as it may, until nothing moves.
class Processes {
 public:
  Processes(std::vector<schedule::Program> programs, std::vector<Data> data)
      : out(std::move(data)), programs_(std::move(programs)) {
    for (const schedule::Program& program : programs_) done_.emplace_back(program.ops.size());
  }

  /// @return whether all of it ended, and no message was left over
  bool run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t r = 0; r < programs_.size(); ++r) {
        for (std::size_t o = 0; o < programs_[r].ops.size(); ++o) moved |= step(r, o);
      }
    }
    for (const auto& done : done_) {
      if (std::find(done.begin(), done.end(), false) != done.end()) return false;
    }
    return wire_.empty();
  }

  std::vector<Data> out;

 private:
  bool step(std::size_t rank, std::size_t index) {
    const schedule::Program& program = programs_[rank];
    const Op& op = program.ops[index];
    if (done_[rank][index]) return false;
    for (const std::uint32_t dep : program.deps_of(op)) {
      if (!done_[rank][dep]) return false;
    }
    const auto self = static_cast<Rank>(rank);
    const auto slice = [&](const schedule::Region& region) {
      return out[rank].begin() + static_cast<std::ptrdiff_t>(region.offset);
    };
    if (op.kind == OpKind::Send) {
      const auto first = slice(op.from);
      const Data data(first, first + static_cast<std::ptrdiff_t>(op.from.length));
      EXPECT_TRUE(wire_.emplace(std::tuple(self, op.peer, op.tag), data).second) << "a tag twice";
    } else {
      EXPECT_EQ(op.kind, OpKind::Recv);
      const auto found = wire_.find({op.peer, self, op.tag});
      if (found == wire_.end()) return false;
      EXPECT_EQ(found->second.size(), op.to.length);
      std::copy(found->second.begin(), found->second.end(), slice(op.to));
      wire_.erase(found);
    }
    return done_[rank][index] = true;
  }

  std::vector<schedule::Program> programs_;
  std::vector<std::vector<bool>> done_;
  std::map<std::tuple<Rank, Rank, std::uint32_t>, Data> wire_;
};

MulticastCall some_multicast(Random& rng, Rank size) {
  MulticastCall call{static_cast<Rank>(rng.below(size)), rng.below(3) == 0 ? 0 : rng.below(9000)};
  for (Rank r = 0; r < size; ++r) {
    if (r != call.root && rng.chance(60)) call.to.push_back(r);
  }
  rng.shuffle(std::span(call.to));
  return call;
}

/// What a rank's Out holds, member of which it is.
Data out_of(std::span<const MulticastCall> calls, Rank rank, bool at_the_end) {
  Data out;
  for (std::size_t m = 0; m < calls.size(); ++m) {
    if (!calls[m].has(rank)) continue;
    const bool has_it = at_the_end || calls[m].root == rank;
    out.insert(out.end(), calls[m].bytes, static_cast<std::uint8_t>(has_it ? m + 1 : 0));
  }
  return out;
}

void expect_right(const topology::Machine& machine, std::span<const MulticastCall> calls,
                  const std::function<CachedPlan(Rank)>& plan_of) {
  std::vector<schedule::Program> programs;
  std::vector<Data> before, after;
  const CachedPlan first = plan_of(0);
  for (Rank r = 0; r < machine.size(); ++r) {
    const CachedPlan plan = plan_of(r);
    ASSERT_EQ(plan.name, first.name);
    ASSERT_EQ(plan.signature, first.signature);
    ASSERT_EQ(plan.planned, first.planned);
    if (!plan.planned) continue;
    ASSERT_EQ(plan.prepared.program.rank, r);
    programs.push_back(plan.prepared.program);
    before.push_back(out_of(calls, r, false));
    after.push_back(out_of(calls, r, true));
  }
  if (!first.planned) return;
  Processes processes(std::move(programs), std::move(before));
  ASSERT_TRUE(processes.run()) << first.name;
  ASSERT_EQ(processes.out, after) << first.name;
}

topology::Machine some_machine(Random& rng) {
  return topology::random_machine(rng.below(1U << 30U), {.max_processes = 14});
}

TEST(MulticastPlanProperty, OneReachesItsMembersAndNobodyElse) {
  for_all_seeds(40, [](Random& rng) {
    const topology::Machine machine = some_machine(rng);
    const std::vector<MulticastCall> one{some_multicast(rng, machine.size())};
    expect_right(machine, one,
                 [&](Rank rank) { return plan_multicast(machine, one.front(), rank); });
  });
}

TEST(MulticastPlanProperty, SeveralReachTheirMembersWhateverTheyShare) {
  for_all_seeds(40, [](Random& rng) {
    const topology::Machine machine = some_machine(rng);
    std::vector<MulticastCall> several;
    for (std::uint64_t m = 0; m < 2 + rng.below(5); ++m) {
      several.push_back(some_multicast(rng, machine.size()));
    }
    expect_right(machine, several,
                 [&](Rank rank) { return plan_multicasts(machine, several, rank); });
  });
}

// Banikazemi et al., ICPP 1998: 64 workstations, a quarter of them four times as fast. A multicast
// is planned as well as a broadcast among its members, by speed.
TEST(MulticastPlan, GoesByTheSpeedsOfNodes) {
  const topology::Machine machine =
      topology::load_machine(ESPALIER_SOURCE_DIR "/data/machines/hnow-64.json")->machine;
  MulticastCall call{0, 1024};
  std::vector<Rank> members{0};
  for (Rank r = 5; r < 64; r += 3) call.to.push_back(r);
  members.insert(members.end(), call.to.begin(), call.to.end());
  const topology::Machine part = topology::submachine(machine, members);
  const collective::Hierarchy hierarchy(part);
  const schedule::Collective broadcast{
      schedule::Operation::Broadcast, part.size(), 0, 1024, Bytes{1}, true, {}};
  const auto by_speed = select::plan_named("fnf", hierarchy, broadcast);
  ASSERT_TRUE(by_speed.has_value());
  const Time takes = select::Predictor(hierarchy)(*by_speed, broadcast);
  const CachedPlan plan = plan_multicast(machine, call, 0);
  EXPECT_LE(*plan.predicted, takes) << plan.name;
}

TEST(MulticastPlan, ShortOnesFarApartRunAtOnce) {
  const auto machine = topology::parse_synthetic("site:2(30ms,100Mbit/s) proc:2(5us)").value();
  std::vector<MulticastCall> several{{0, 8, {2, 3}}, {1, 8, {2, 3}}};
  EXPECT_TRUE(plan_multicasts(machine, several, 0).planned);
  const CachedPlan at_once = plan_multicasts(machine, several, 0);
  EXPECT_LT(*at_once.predicted, milliseconds(40));  // not twice 30 ms
  several[0].to.clear();
  several[1].to.clear();
  EXPECT_FALSE(plan_multicasts(machine, several, 0).planned) << "nobody to send to";
}

TEST(MulticastPlan, ARelayReceivesBeforeItSendsEvenIfMessagesTakeNoTime) {
  const auto machine =
      topology::parse_synthetic("proc:7(send=0us|0us|0us|0us|0us|10us|10us)").value();
  const std::vector<MulticastCall> several{{2, 8, {0, 1}}, {5, 8, {4}}, {6, 8, {3}}};
  EXPECT_TRUE(plan_multicasts(machine, several, 0).planned);
  expect_right(machine, several,
               [&](Rank rank) { return plan_multicasts(machine, several, rank); });
}

TEST(MulticastPlan, RefusesMoreThanRunAtOnce) {
  const auto machine = topology::parse_synthetic("proc:2").value();
  const std::vector<MulticastCall> many(kMulticastsAtOnce + 1, {0, 8, {1}});
  EXPECT_THROW((void)plan_multicasts(machine, many, 0), ContractViolation);
}

}  // namespace
}  // namespace espalier::runtime
