// Our simulator beside SimGrid's (libsimgrid, S4U), on the same schedules and machines.
//
//   simgrid_check            the check: exits 1 if the median or the worst difference is too large;
//                            each case by one of two rules, with LONG_TESTS=1 by both
//   simgrid_check --table    every case, in three ways (docs/simulation.md explains them)
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/units.hpp"
#include "sim/simulate.hpp"
#include "simgrid_check/cases.hpp"
#include "simgrid_check/replay.hpp"
#include "support/long_run.hpp"

namespace espalier::simgrid_check {
namespace {

constexpr double kWorstAllowed = 0.20;
constexpr double kMedianAllowed = 0.05;

struct FlowRule {
  const char* name;
  Weights weights;
  bool ordered_pairs;
};
constexpr FlowRule kConnections{"connections", Weights::Equal, true};
constexpr FlowRule kFlows{"flows", Weights::Equal, false};
constexpr FlowRule kWeightedFlows{"weighted", Weights::ByLatency, false};

/// In a process of its own, since SimGrid's engine lives once. Negative if it failed.
double finish_in_simgrid(const Case& c, const FlowRule& rule) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  std::fflush(stdout);  // or the child would print it once more
  const pid_t child = fork();
  if (child == 0) {
    ReplayOptions options;
    options.weights = rule.weights;
    options.ordered_pairs = rule.ordered_pairs;
    const std::vector<double> finish = replay(c.plan, *c.machine, options);
    double last = 0;
    for (const double f : finish) last = f < 0 || last < 0 ? -1 : std::max(last, f);
    const bool written = write(ends[1], &last, sizeof last) == sizeof last;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  double last = -1;
  if (read(ends[0], &last, sizeof last) != sizeof last) last = -1;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return last;
}

struct Comparison {
  Time ours;
  Time theirs;
  double difference = 0;  ///< ours to theirs
};

Comparison compare(const Case& c, const FlowRule& rule, sim::Sharing sharing) {
  sim::SimOptions options;
  options.sharing = sharing;
  options.ordered_pairs = rule.ordered_pairs;
  options.shares_by_latency = rule.weights == Weights::ByLatency;
  Comparison result;
  result.ours = sim::simulate(c.plan, *c.machine, options).finish;
  const double theirs = finish_in_simgrid(c, rule);
  result.theirs = theirs < 0 ? kForever : Time{std::llround(theirs * 1e12)};
  result.difference = theirs < 0 ? 9.99 : to_seconds(result.ours) / theirs - 1;
  return result;
}

class Summary {
 public:
  explicit Summary(std::string name) : name_(std::move(name)) {}

  void add(const Case& c, double difference) {
    all_.push_back(std::abs(difference));
    if (all_.size() > 1 && all_.back() <= worst_) return;
    worst_ = all_.back();
    where_ = fmt::format("{} {} {}", c.machine_name, c.plan.algorithm, c.size);
  }
  [[nodiscard]] double median() const {
    std::vector<double> sorted = all_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  [[nodiscard]] bool good() const { return median() < kMedianAllowed && worst_ < kWorstAllowed; }
  void print() const {
    fmt::print("{:12} {} cases: median {:.3f} %, worst {:.2f} % ({})\n", name_, all_.size(),
               100 * median(), 100 * worst_, where_);
  }

 private:
  std::string name_;
  std::vector<double> all_;
  double worst_ = 0;
  std::string where_;
};

int check(const std::vector<Case>& all) {
  bool good = true;
  std::size_t turn = 0;
  for (const FlowRule& rule : {kConnections, kWeightedFlows}) {
    Summary summary(rule.name);
    for (std::size_t i = 0; i < all.size(); ++i) {
      // Four sizes of each plan, then the next plan: each size is taken by either rule.
      if (!is_long_run() && (i + i / 4) % 2 != turn) continue;
      summary.add(all[i], compare(all[i], rule, sim::Sharing::ExactMaxMin).difference);
    }
    ++turn;
    summary.print();
    good = good && summary.good();
  }
  return good ? 0 : 1;
}

int table(const std::vector<Case>& all) {
  fmt::print("{:15} {:9} {:>8}  {:>10} {:>10} {:>9} {:>9} {:>9}  {:>9}\n", "machine", "schedule",
             "size", "ours", "SimGrid", "connect.", "flows", "weighted", "1 bottl.");
  Summary connections(kConnections.name);
  Summary flows(kFlows.name);
  Summary weighted(kWeightedFlows.name);
  Summary fast("1 bottleneck");
  for (const Case& c : all) {
    const Comparison a = compare(c, kConnections, sim::Sharing::ExactMaxMin);
    const Comparison b = compare(c, kFlows, sim::Sharing::ExactMaxMin);
    const Comparison w = compare(c, kWeightedFlows, sim::Sharing::ExactMaxMin);
    sim::SimOptions one;
    one.sharing = sim::Sharing::OneBottleneck;
    const Time quick = sim::simulate(c.plan, *c.machine, one).finish;
    const double quick_difference = to_seconds(quick) / to_seconds(a.theirs) - 1;
    connections.add(c, a.difference);
    flows.add(c, b.difference);
    weighted.add(c, w.difference);
    fast.add(c, quick_difference);
    fmt::print("{:15} {:9} {:>8}  {:>10} {:>10} {:>8.2f}% {:>8.2f}% {:>8.2f}%  {:>8.2f}%\n",
               c.machine_name, c.plan.algorithm, c.size, rounded(a.ours), rounded(a.theirs),
               100 * a.difference, 100 * b.difference, 100 * w.difference, 100 * quick_difference);
  }
  for (const Summary* s : {&connections, &flows, &weighted, &fast}) s->print();
  return 0;
}

}  // namespace
}  // namespace espalier::simgrid_check

int main(int argc, char** argv) {
  using namespace espalier::simgrid_check;
  const std::vector<NamedMachine> on = machines();
  const std::vector<Case> all = cases(on);
  return argc > 1 && std::strcmp(argv[1], "--table") == 0 ? table(all) : check(all);
}
