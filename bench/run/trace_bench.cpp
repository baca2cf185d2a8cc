// What it costs to take down one event of a trace: the clock is read, and an entry goes into a
// bounded log. Processor time, the least of several rounds.
//
//   trace_bench [--events N]    one round of N events, for tools that count instructions
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "trace/clock.hpp"
#include "trace/log.hpp"

namespace espalier::trace {
namespace {

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Nanoseconds for one event.
double round_of(std::uint64_t events) {
  Budget budget(events * 2 * sizeof(Event));
  Log log(1, {}, budget);
  const double begin = processor_seconds();
  for (std::uint64_t i = 0; i < events; ++i) {
    log.add({monotonic_now(), static_cast<std::uint32_t>(i), Event::What::SendBegin, 1, 2, 3});
  }
  return 1e9 * (processor_seconds() - begin) / static_cast<double>(events);
}

}  // namespace
}  // namespace espalier::trace

int main(int argc, char** argv) {
  using espalier::trace::round_of;
  if (argc == 3 && std::strcmp(argv[1], "--events") == 0) {
    std::printf("%.1f ns\n", round_of(std::strtoull(argv[2], nullptr, 10)));
    return 0;
  }
  constexpr int kRounds = 20;
  constexpr std::uint64_t kEvents = 400'000;
  double least = round_of(kEvents);
  for (int i = 1; i < kRounds; ++i) least = std::min(least, round_of(kEvents));
  std::printf("%.1f ns\n", least);
  return 0;
}
