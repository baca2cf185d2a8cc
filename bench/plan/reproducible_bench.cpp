// What order-free sums cost beside a plain loop: ns for each element, and how many times the plain
// loop's time.
#include <benchmark/benchmark.h>

#include <cmath>
#include <ctime>
#include <vector>

#include "base/random.hpp"
#include "reproducible/accumulator.hpp"
#include "reproducible/binned.hpp"

namespace {

using namespace espalier;
using namespace espalier::reproducible;

constexpr std::size_t kCount = 1 << 14;  // fits into the second cache

/// Alike: in [-1, 1). Wide: exponents from -40 to 40.
template <typename Real>
std::vector<Real> terms(bool wide) {
  Random rng(7);
  std::vector<Real> values(kCount);
  for (Real& value : values) {
    value = static_cast<Real>(rng.between(-(1 << 23), 1 << 23)) / static_cast<Real>(1 << 23);
    if (wide) value = std::ldexp(value, static_cast<int>(rng.between(-40, 40)));
  }
  return values;
}

/// As a program writes it: from the left, not vectorised.
template <typename Real>
Real plain_sum(const std::vector<Real>& values) {
  Real sum = 0;
  for (const Real value : values) sum += value;
  return sum;
}

/// Of this process, not of the others on the computer.
double cpu_ns() { return static_cast<double>(std::clock()) * (1e9 / CLOCKS_PER_SEC); }

template <typename Real>
double plain_ns(const std::vector<Real>& values) {
  constexpr int kRounds = 2000;
  const double begin = cpu_ns();
  for (int i = 0; i < kRounds; ++i) benchmark::DoNotOptimize(plain_sum(values));
  return (cpu_ns() - begin) / kRounds / kCount;
}

template <typename Real, typename Sum>
void compare(benchmark::State& state, Sum sum) {
  const std::vector<Real> values = terms<Real>(state.range(0) != 0);
  const double plain = plain_ns(values);
  const double begin = cpu_ns();
  for (auto _ : state) benchmark::DoNotOptimize(sum(values));
  const double ns = (cpu_ns() - begin) / static_cast<double>(state.iterations()) / kCount;
  state.counters["ns_per_element"] = ns;
  state.counters["times_plain"] = ns / plain;
}

template <typename Real>
void batch(benchmark::State& state) {
  compare<Real>(state, [](const std::vector<Real>& v) { return exact_sum<Real>(v); });
}
template <typename Real>
void binned(benchmark::State& state) {
  compare<Real>(state, [](const std::vector<Real>& v) {
    Binned<Real> sum;
    accumulate<Real>(v, sum);
    return sum.round();
  });
}
template <typename Real>
void one_by_one(benchmark::State& state) {
  compare<Real>(state, [](const std::vector<Real>& v) {
    Accumulator<Real> sum;
    for (const Real value : v) sum.add(value);
    return sum.round();
  });
}
template <typename Real, template <typename> typename Sum>
void merge(benchmark::State& state) {
  Sum<Real> b;
  const auto values = terms<Real>(true);
  accumulate<Real>(values, b);
  for (auto _ : state) {
    Sum<Real> a = b;
    a.merge(b);
    benchmark::DoNotOptimize(a);
  }
}
template <typename Real>
void round_once(benchmark::State& state) {
  Accumulator<Real> sum;
  const auto values = terms<Real>(true);
  accumulate<Real>(values, sum);
  for (auto _ : state) benchmark::DoNotOptimize(sum.round());
}

BENCHMARK(batch<double>)->ArgName("wide")->Arg(0)->Arg(1);
BENCHMARK(batch<float>)->ArgName("wide")->Arg(0)->Arg(1);
BENCHMARK(one_by_one<double>)->ArgName("wide")->Arg(0)->Arg(1);
BENCHMARK(one_by_one<float>)->ArgName("wide")->Arg(0)->Arg(1);
BENCHMARK(binned<double>)->ArgName("wide")->Arg(0)->Arg(1);
BENCHMARK(binned<float>)->ArgName("wide")->Arg(0)->Arg(1);
BENCHMARK(merge<double, Accumulator>);
BENCHMARK(merge<float, Accumulator>);
BENCHMARK(merge<double, Binned>);
BENCHMARK(merge<float, Binned>);
BENCHMARK(round_once<double>);
BENCHMARK(round_once<float>);

}  // namespace
