#include <benchmark/benchmark.h>

#include "support/schedules/all.hpp"
#include "verify/verify.hpp"

// What a proof costs, for every hand-written schedule of the tests (tests/support/schedules), with
// 2^20 elements a block. CPU time; the counters say how much there was to look at.

namespace espalier::test_schedules {
namespace {

void verify_one(benchmark::State& state, const Maker& make, Rank p) {
  const Schedule schedule = make(p, p / 3, 1U << 20U);
  verify::Verdict verdict;
  for (auto _ : state) {
    verdict = verify::verify(schedule);
    benchmark::DoNotOptimize(verdict);
  }
  if (!verdict.ok()) state.SkipWithError("refused");
  state.counters["ops"] = static_cast<double>(verdict.statistics.ops);
  state.counters["messages"] = static_cast<double>(verdict.statistics.messages);
}

void add(const Maker& make, Rank p) {
  const Schedule small = make(2, 0, 1);  // only its names are used
  const std::string name = std::string(schedule::name_of(small.call.operation)) +
                           (small.call.irregular() ? "-v/" : "/") + small.algorithm +
                           (small.call.commutative ? "/" : "-ordered/") + std::to_string(p);
  benchmark::RegisterBenchmark(name.c_str(), verify_one, make, p)->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  for (const Rank p : {64U, 256U}) {
    for (const Maker& make : all_makers()) add(make, p);
  }
  // Plans whose messages grow with P only.
  const auto call = [](Operation o, Rank p, std::uint64_t n) { return call_of(o, p, 0, n, false); };
  add([=](Rank p, Rank,
          std::uint64_t n) { return broadcast_chain(call(Operation::Broadcast, p, n), 8); },
      131072);
  add([=](Rank p, Rank, std::uint64_t n) { return reduce_binomial(call(Operation::Reduce, p, n)); },
      131072);
  add(
      [=](Rank p, Rank, std::uint64_t n) {
        return allreduce_recursive_doubling(call(Operation::Allreduce, p, n));
      },
      131072);
  return true;
}();

}  // namespace
}  // namespace espalier::test_schedules
