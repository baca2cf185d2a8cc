#include <gtest/gtest.h>

#include <algorithm>

#include "discover/rates.hpp"
#include "discover/simulated_prober.hpp"
#include "topology/readers.hpp"

namespace espalier::discover {
namespace {

/// Hands on to a simulation round by round, and notes when each of them began.
class NotingProber final : public Prober {
 public:
  explicit NotingProber(const topology::Machine& machine) : prober_(machine, {}) {}

  [[nodiscard]] Node size() const override { return prober_.size(); }
  [[nodiscard]] Time spent() const override { return prober_.spent(); }
  Expected<std::vector<std::vector<Measured>>> run(std::span<const Round> rounds) override {
    std::vector<std::vector<Measured>> results;
    for (const Round& round : rounds) {
      began_.push_back(prober_.spent());
      auto one = prober_.run(std::span<const Round>(&round, 1));
      if (!one) return one.error();
      results.push_back(std::move(one->front()));
    }
    ++runs_;
    if (first_run_ended_ == Time{}) first_run_ended_ = prober_.spent();
    if (sleeps_from_run_ > 0 && runs_ >= sleeps_from_run_) wake_up_late(results);
    return results;
  }

  /// From this run on (the first one is 1) receivers of trains read all messages at the end.
  void sleep_from_run(int run) { sleeps_from_run_ = run; }
  [[nodiscard]] const std::vector<Time>& began() const { return began_; }
  [[nodiscard]] Time first_run_ended() const { return first_run_ended_; }

 private:
  static void wake_up_late(std::vector<std::vector<Measured>>& results) {
    for (auto& round : results) {
      for (Measured& one : round) {
        for (std::size_t i = 0; i < one.arrivals.size(); ++i) {
          const auto before = static_cast<std::int64_t>(one.arrivals.size() - 1 - i);
          one.arrivals[i] = one.arrivals.back() - nanoseconds(100 * before);
        }
      }
    }
  }

  SimulatedProber prober_;
  std::vector<Time> began_;
  Time first_run_ended_;
  int runs_ = 0;
  int sleeps_from_run_ = 0;
};

topology::Machine hosts_far_apart(const std::string& line) {
  auto machine = topology::parse_synthetic(line);
  EXPECT_TRUE(machine) << machine.error();
  return *machine;
}

/// All nodes side by side.
FoundCluster one_cluster(const topology::Machine& machine) {
  FoundCluster whole;
  whole.latency = machine.path(0, 1).latency;
  for (Node node = 0; node < machine.size(); ++node) {
    whole.nodes.push_back(node);
    FoundCluster member;
    member.nodes.push_back(node);
    whole.members.push_back(std::move(member));
  }
  return whole;
}

TEST(Calibrate, AThirdOpinionThatTellsNothingLeavesNoUplinkUnlimited) {
  const auto machine = hosts_far_apart("host:3(10ms,100Mbit/s|10Mbit/s|100Mbit/s)");
  NotingProber prober(machine);
  prober.sleep_from_run(2);
  FoundCluster whole = one_cluster(machine);
  const std::vector<NodeCost> costs(machine.size());
  const auto complete = calibrate(prober, whole, costs, seconds(1'000));
  ASSERT_TRUE(complete) << complete.error();
  EXPECT_FALSE(*complete);
  EXPECT_GT(prober.began().size(), 3U);  // third opinions were asked
  for (const FoundCluster& member : whole.members) {
    EXPECT_FALSE(member.out.unlimited());
    EXPECT_FALSE(member.in.unlimited());
  }
}

TEST(Calibrate, ThirdOpinionsBeginWithinTheBudget) {
  const auto machine =
      hosts_far_apart("host:8(10ms,100Mbit/s*2|10Mbit/s|100Mbit/s|20Mbit/s|100Mbit/s*3)");
  const std::vector<NodeCost> costs(machine.size());
  NotingProber patient(machine);
  FoundCluster whole = one_cluster(machine);
  const auto all = calibrate(patient, whole, costs, seconds(1'000));
  ASSERT_TRUE(all) << all.error();
  EXPECT_TRUE(*all);

  const Time until = patient.first_run_ended() + milliseconds(1);
  ASSERT_GT(patient.began().back(), until);
  NotingProber hurried(machine);
  whole = one_cluster(machine);
  const auto some = calibrate(hurried, whole, costs, until);
  ASSERT_TRUE(some) << some.error();
  EXPECT_FALSE(*some);
  EXPECT_LE(hurried.began().back(), until);
}

}  // namespace
}  // namespace espalier::discover
