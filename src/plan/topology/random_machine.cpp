#include "topology/random_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/random.hpp"
#include "topology/machine_spec.hpp"

namespace espalier::topology {
namespace {

class Generator {
 public:
  Generator(std::uint64_t seed, const RandomMachineOptions& options)
      : rng_(seed), options_(options) {}

  Machine make(std::uint64_t seed) {
    const auto processes =
        static_cast<std::uint64_t>(rng_.between(static_cast<std::int64_t>(options_.min_processes),
                                                static_cast<std::int64_t>(options_.max_processes)));
    const auto levels = static_cast<std::uint32_t>(1 + rng_.below(options_.max_levels));
    MachineSpec spec;
    spec.name = fmt::format("random {}", seed);
    fill(spec.whole, processes, levels, 0);
    for (std::uint32_t l = 0; l < deepest_; ++l) spec.levels.push_back(level(l));
    Machine machine = build_machine(spec).value();
    if (!options_.shuffle_ranks || rng_.chance(30)) return machine;
    if (rng_.chance(30)) {
      const std::vector<Leaf> cyclic = cyclic_placement(machine);
      return with_placement(std::move(machine), cyclic);
    }
    const std::vector<Leaf> shuffled = random_placement(machine, rng_.next());
    return with_placement(std::move(machine), shuffled);
  }

 private:
  /// Shares `processes` among the members of `cluster`, at most `levels` deep.
  void fill(MemberSpec& cluster, std::uint64_t processes, std::uint32_t levels,
            std::uint32_t depth) {
    deepest_ = std::max(deepest_, depth + 1);
    if (rng_.chance(15)) cluster.channel.backbone = bandwidth(depth);
    if (rng_.chance(15)) cluster.channel.latency = latency(depth);
    if (rng_.chance(10)) cluster.channel.flow_cap = bandwidth(depth);
    if (levels <= 1 || processes < 2 || rng_.chance(10)) {
      add_processes(cluster, processes, depth);
      return;
    }
    const std::uint64_t groups = 1 + rng_.below(std::min<std::uint64_t>(processes, 5));
    for (std::uint64_t g = 0; g < groups; ++g) {
      const std::uint64_t left = groups - g;
      const std::uint64_t most = processes - (left - 1);
      const std::uint64_t share =
          left == 1 ? processes : 1 + rng_.below(std::max<std::uint64_t>(1, most * 2 / left));
      const std::uint64_t taken = std::min(share, most);
      processes -= taken;
      if (taken == 1 && rng_.chance(40)) {  // a lone process beside clusters: uneven depth
        add_processes(cluster, 1, depth);
        continue;
      }
      MemberSpec member;
      member.name = fmt::format("c{}", cluster.members.size());
      if (rng_.chance(30)) member.uplink = uplink(depth);
      if (rng_.chance(20)) member.costs = costs();
      fill(member, taken, levels - 1, depth + 1);
      cluster.members.push_back(std::move(member));
    }
    add_pairs(cluster, depth);
  }

  void add_processes(MemberSpec& cluster, std::uint64_t count, std::uint32_t depth) {
    while (count > 0) {
      MemberSpec process;
      process.count = rng_.chance(60) ? count : 1 + rng_.below(count);
      if (rng_.chance(40)) process.costs = costs();
      if (rng_.chance(15)) process.uplink = uplink(depth);
      count -= process.count;
      cluster.members.push_back(std::move(process));
    }
  }

  void add_pairs(MemberSpec& cluster, std::uint32_t depth) {
    const std::size_t members = cluster.members.size();
    if (members < 3 || !rng_.chance(30)) return;
    const auto a = static_cast<std::size_t>(rng_.below(members - 1));
    const auto b = a + 1 + static_cast<std::size_t>(rng_.below(members - 1 - a));
    MemberSpec::Pair pair{"", fmt::format("{}", a), fmt::format("{}", b), latency(depth),
                          kUnlimited};
    if (rng_.chance(50)) pair.capacity = bandwidth(depth);
    cluster.pairs.push_back(std::move(pair));
  }

  LevelSpec level(std::uint32_t depth) {
    constexpr std::array<std::pair<const char*, const char*>, 4> kNames{
        {{"wan", "site"}, {"lan", "machine"}, {"switch", "node"}, {"memory", "process"}}};
    const auto& [channel, members] = kNames[std::min<std::size_t>(depth, kNames.size() - 1)];
    return {{channel, members}, {latency(depth), kUnlimited, kUnlimited}, uplink(depth)};
  }

  /// About 30 ms at the top, and some ten times less each level down.
  Time latency(std::uint32_t depth) {
    std::int64_t base = 30'000'000;  // ns
    for (std::uint32_t l = 0; l < depth && base > 100; ++l) base /= 12;
    return nanoseconds(rng_.between(base / 2, base * 2));
  }
  Bandwidth bandwidth(std::uint32_t depth) {
    std::uint64_t base = 100'000'000;
    for (std::uint32_t l = 0; l < depth && l < 3; ++l) base *= 8;
    return bits_per_second(base / 2 + rng_.below(base * 2));
  }
  Uplink uplink(std::uint32_t depth) {
    const Bandwidth out = bandwidth(depth);
    if (rng_.chance(20)) return {out, out, true, Time{0}};
    return {out, rng_.chance(30) ? bandwidth(depth) : out, false,
            rng_.chance(20) ? nanoseconds(rng_.between(1, 5000)) : Time{0}};
  }
  CostOverride costs() {
    CostOverride costs;
    costs.send = Cost{nanoseconds(rng_.between(200, 400'000)), kUnlimited};
    if (rng_.chance(50)) costs.recv = Cost{nanoseconds(rng_.between(200, 400'000)), kUnlimited};
    if (rng_.chance(30))
      costs.send->rate = bytes_per_second(100'000'000 + rng_.below(1'000'000'000));
    if (rng_.chance(30)) costs.reduce = bytes_per_second(1'000'000'000 + rng_.below(1'000'000'000));
    if (rng_.chance(30)) costs.speed_millionths = 250'000 + rng_.below(4'000'000);
    return costs;
  }

  Random rng_;
  RandomMachineOptions options_;
  std::uint32_t deepest_ = 0;
};

}  // namespace

Machine random_machine(std::uint64_t seed, const RandomMachineOptions& options) {
  expects(options.min_processes >= 1 && options.min_processes <= options.max_processes &&
              options.max_processes <= kMaxProcesses && options.max_levels >= 1,
          "random_machine: impossible options");
  return Generator(seed, options).make(seed);
}

}  // namespace espalier::topology
