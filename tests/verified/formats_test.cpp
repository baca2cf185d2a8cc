// Every plan through every form and back: JSON gives back the same value, MSCCL-XML a plan that the
// verifier accepts, GOAL one that takes as long in the simulator.
#include <gtest/gtest.h>

#include <iostream>

#include "formats/load_schedule.hpp"
#include "schedule/json.hpp"
#include "select/candidates.hpp"
#include "sim/simulate.hpp"
#include "support/flat_calls.hpp"
#include "support/flat_schedules.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"
#include "verify/verify.hpp"

namespace espalier::formats {
namespace {

using schedule::Collective;
using schedule::Operation;
using schedule::Schedule;
using namespace testing_support;

class FormatsOfEach : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static Operation operation() { return static_cast<Operation>(GetParam()); }
  /// MSCCL has it, if the call is regular and commutes.
  [[nodiscard]] static bool in_msccl(const Collective& call) {
    const bool known = call.operation != Operation::Barrier && call.operation != Operation::Scan &&
                       call.operation != Operation::Exscan;
    return known && !call.irregular() && call.commutative && call.count > 0;
  }

  void check(const Schedule& schedule) {
    SCOPED_TRACE(schedule.algorithm + ": " + name_of_call(schedule.call));
    const verify::Verdict before = verify::verify(schedule);
    ASSERT_TRUE(before.ok()) << before;
    check_json(schedule);
    check_goal(schedule, before);
    check_msccl(schedule, before);
    ++schedules_;
  }

  void check_json(const Schedule& schedule) {
    const auto again = schedule::read_json(write_json(schedule), "x.json");
    ASSERT_TRUE(again) << again.error();
    ASSERT_TRUE(*again == schedule);
    ASSERT_EQ(hash_of(*again), hash_of(schedule));
  }
  void check_goal(const Schedule& schedule, const verify::Verdict& before) {
    const auto text = write_goal(schedule);
    ASSERT_TRUE(text) << text.error();
    const auto again = read_goal(text->text, "x.goal");
    ASSERT_TRUE(again) << again.error();
    const verify::Verdict after = verify::verify(again->schedule);
    ASSERT_TRUE(after.ok()) << after;
    ASSERT_FALSE(after.data_checked);
    ASSERT_EQ(after.statistics.messages, before.statistics.messages);
    ASSERT_EQ(after.statistics.bytes, before.statistics.bytes);
  }
  void check_msccl(const Schedule& schedule, const verify::Verdict& before) {
    const auto text = write_msccl(schedule);
    ASSERT_EQ(text.has_value(), in_msccl(schedule.call)) << (text ? "" : text.error().what);
    if (!text) return;
    const auto again = read_msccl(text->text, "x.xml");
    ASSERT_TRUE(again) << again.error() << text->text;
    ASSERT_EQ(again->schedule.call.operation, schedule.call.operation);
    const verify::Verdict after = verify::verify(again->schedule);
    ASSERT_TRUE(after.ok()) << after << text->text;
    ASSERT_EQ(after.statistics.bytes, before.statistics.bytes);
    ++written_;
  }
  void TearDown() override {
    std::cout << schedules_ << " schedules, " << written_ << " of them as MSCCL-XML\n";
  }

 private:
  std::uint64_t schedules_ = 0;
  std::uint64_t written_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Operation, FormatsOfEach, testing::Range(0, schedule::kOperationCount),
                         [](const auto& test) {
                           std::string name(name_of(static_cast<Operation>(test.param)));
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(FormatsOfEach, GiveBackEveryClassicalAlgorithm) {
  Collective call;
  call.operation = operation();
  call.element = Bytes{8};
  for (const Rank size : {1, 2, 3, 4, 5, 6, 7, 8, 11, 16}) {
    call.size = size;
    for (const Rank root : some_roots(operation(), size)) {
      for (const std::uint64_t count : {0, 1, 17, 48}) {
        call.root = root;
        call.count = count;
        for (const collective::Algorithm* algorithm : flat_algorithms(operation())) {
          if (!applicable(*algorithm, call)) continue;
          check(flat_schedule(*algorithm, call));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(FormatsOfEach, GiveBackVFormsAndOrderedReductions) {
  const auto check_all = [&](const Collective& call) {
    for (const collective::Algorithm* algorithm : flat_algorithms(operation())) {
      if (HasFatalFailure() || call.size > 9 || !applicable(*algorithm, call)) continue;
      check(flat_schedule(*algorithm, call));
    }
  };
  if (has_blocks(operation())) for_each_irregular_call(operation(), check_all);
  for_all_seeds(40, [&](Random& rng) {
    Collective call = random_call(rng, operation());
    call.commutative = false;
    check_all(call);
  });
}

TEST_P(FormatsOfEach, GiveBackPlansForRandomMachines) {
  for_all_seeds(12, [&](Random& rng) {
    topology::RandomMachineOptions options;
    options.max_processes = 14;
    const topology::Machine machine = topology::random_machine(rng.next(), options);
    const collective::Hierarchy hierarchy(machine);
    Collective call;
    call.operation = operation();
    call.size = machine.size();
    call.root = static_cast<Rank>(rng.below(call.size));
    call.element = Bytes{8};
    call.count = rng.between(1, 4000);
    for (const select::Candidate& candidate : select::candidates(hierarchy, call)) {
      // Segments of 4 KiB of everything are many steps and no other kind.
      if (rng.chance(75)) continue;
      check(schedule_of(candidate, call));
      if (HasFatalFailure()) return;
    }
  });
}

TEST_P(FormatsOfEach, TakeAsLongInTheSimulatorAfterGoal) {
  const topology::Machine machine = *topology::parse_synthetic(
      "site:2(3ms,100Mbit/s) node:2(50us,1Gbit/s) proc:3(2us,10Gbit/s,send=1us,recv=2us)");
  const collective::Hierarchy hierarchy(machine);
  Collective call;
  call.operation = operation();
  call.size = machine.size();
  call.root = 4;
  for (const std::uint64_t count : {1, 3000, 200000}) {
    call.count = count;
    for (const select::Candidate& candidate : select::candidates(hierarchy, call)) {
      const Schedule schedule = schedule_of(candidate, call);
      const auto text = write_goal(schedule);
      ASSERT_TRUE(text) << text.error();
      const auto again = read_goal(text->text, "x.goal");
      ASSERT_TRUE(again) << again.error();
      EXPECT_EQ(sim::simulate(again->schedule, machine).finish,
                sim::simulate(schedule, machine).finish)
          << candidate.name << " " << name_of_call(call);
    }
  }
}

}  // namespace
}  // namespace espalier::formats
