// The figures of docs/collectives.md, for powers of two and one block or vector of n = kCount.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "support/flat_schedules.hpp"
#include "support/run_schedule.hpp"

namespace espalier::collective {
namespace {

using schedule::Collective;
using schedule::Op;
using schedule::Operation;
using schedule::OpKind;
using schedule::Program;
using schedule::Region;
using schedule::Schedule;

constexpr std::uint64_t kCount = 320;  // so that P pieces are even

struct Costs {
  std::uint64_t depth = 0;      ///< longest chain of messages that wait for one another
  std::uint64_t messages = 0;   ///< number of messages of all ranks
  std::uint64_t most_sent = 0;  ///< units sent by the rank that sends most
  std::uint64_t scratch = 0;    ///< units of the rank that needs most
  friend bool operator==(const Costs&, const Costs&) = default;
};

std::ostream& operator<<(std::ostream& out, const Costs& costs) {
  return out << "depth " << costs.depth << ", " << costs.messages << " messages, at most "
             << costs.most_sent << " units sent, " << costs.scratch << " of scratch";
}

Costs costs_of(const Schedule& schedule) {
  Costs costs;
  for (const Program& program : schedule.programs) {
    std::uint64_t sent = 0;
    for (const Op& op : program.ops) {
      if (op.kind != OpKind::Send) continue;
      for_each_message(program, op, [&](Rank, const Region& region) {
        ++costs.messages;
        sent += program.units(region);
      });
    }
    costs.most_sent = std::max(costs.most_sent, sent);
    costs.scratch = std::max(costs.scratch, program.scratch_units);
  }
  testing_support::ScheduleRun run(schedule, 1);
  EXPECT_EQ(run.run(), "");
  costs.depth = run.longest_chain();
  return costs;
}

struct Figure {
  Operation operation;
  std::string_view name;
  /// P, log2 P, n
  std::function<Costs(std::uint64_t, std::uint64_t, std::uint64_t)> costs;
};

using Int = std::uint64_t;

const std::vector<Figure>& figures() {
  static const std::vector<Figure> all{
      {Operation::Broadcast, "scatter-ring",
       [](Int p, Int l, Int n) {
         return Costs{l + p - 1, (p - 1) + p * (p - 1), 2 * (p - 1) * n / p, 0};
       }},
      {Operation::Broadcast, "scatter-recursive-doubling",
       [](Int p, Int l, Int n) {
         return Costs{2 * l, (p - 1) + p * l, 2 * (p - 1) * n / p, 0};
       }},
      {Operation::Broadcast, "binomial-in-turn",
       [](Int p, Int l, Int n) {
         return Costs{l, p - 1, l * n, 0};
       }},
      {Operation::Reduce, "rabenseifner",
       [](Int p, Int l, Int n) {
         return Costs{2 * l, p * l + p - 1, (p - 1) * n / p + n / 2, n + n / 2};
       }},
      {Operation::Allreduce, "recursive-doubling",
       [](Int p, Int l, Int n) {
         return Costs{l, p * l, n * l, n};
       }},
      {Operation::Allreduce, "rabenseifner",
       [](Int p, Int l, Int n) {
         return Costs{2 * l, 2 * p * l, 2 * (p - 1) * n / p, n / 2};
       }},
      {Operation::Allreduce, "ring",
       [](Int p, Int, Int n) {
         return Costs{2 * (p - 1), 2 * p * (p - 1), 2 * (p - 1) * n / p, 2 * n / p};
       }},
      {Operation::Allreduce, "direct",
       [](Int p, Int, Int n) {
         return Costs{2, 2 * p * (p - 1), 2 * (p - 1) * n / p, (p - 1) * n / p};
       }},
      {Operation::Barrier, "dissemination",
       [](Int p, Int l, Int) {
         return Costs{l, p * l, 0, 0};
       }},
      {Operation::Barrier, "butterfly",
       [](Int p, Int l, Int) {
         return Costs{l, p * l, 0, 0};
       }},
      {Operation::Gather, "linear",
       [](Int p, Int, Int n) {
         return Costs{1, p - 1, n, 0};
       }},
      {Operation::Gather, "binomial",
       [](Int p, Int l, Int n) {
         return Costs{l, p - 1, p / 2 * n, p / 2 * n};
       }},
      {Operation::Scatter, "linear",
       [](Int p, Int, Int n) {
         return Costs{1, p - 1, (p - 1) * n, 0};
       }},
      {Operation::Scatter, "binomial",
       [](Int p, Int l, Int n) {
         return Costs{l, p - 1, (p - 1) * n, p / 2 * n};
       }},
      {Operation::Allgather, "ring",
       [](Int p, Int, Int n) {
         return Costs{p - 1, p * (p - 1), (p - 1) * n, 0};
       }},
      {Operation::Allgather, "bruck",
       [](Int p, Int l, Int n) {
         return Costs{l, p * l, (p - 1) * n, 0};
       }},
      {Operation::Allgather, "recursive-doubling",
       [](Int p, Int l, Int n) {
         return Costs{l, p * l, (p - 1) * n, 0};
       }},
      {Operation::Allgather, "neighbour-exchange",
       [](Int p, Int, Int n) {
         return Costs{p / 2, p * p / 2, (p - 1) * n, 0};
       }},
      {Operation::Allgather, "direct",
       [](Int p, Int, Int n) {
         return Costs{1, p * (p - 1), (p - 1) * n, 0};
       }},
      {Operation::Allgather, "gather-broadcast",
       [](Int p, Int l, Int n) {
         return Costs{2 * l, 2 * (p - 1), l * p * n, 0};
       }},
      {Operation::Alltoall, "direct",
       [](Int p, Int, Int n) {
         return Costs{1, p * (p - 1), (p - 1) * n, 0};
       }},
      {Operation::Alltoall, "pairwise",
       [](Int p, Int, Int n) {
         return Costs{p - 1, p * (p - 1), (p - 1) * n, 0};
       }},
      {Operation::Alltoall, "bruck",
       [](Int p, Int l, Int n) {
         return Costs{l, p * l, p / 2 * l * n, p * n + p / 2 * n};
       }},
      {Operation::ReduceScatter, "recursive-halving",
       [](Int p, Int l, Int n) {
         return Costs{l, p * l, (p - 1) * n, (p - 2) * n};
       }},
      {Operation::ReduceScatter, "butterfly",
       [](Int p, Int l, Int n) {
         return Costs{l, p * l, (p - 1) * n, (p - 2) * n};
       }},
      {Operation::ReduceScatter, "ring",
       [](Int p, Int, Int n) {
         return Costs{p - 1, p * (p - 1), (p - 1) * n, (p - 2) * n};
       }},
      {Operation::ReduceScatter, "pairwise",
       [](Int p, Int, Int n) {
         return Costs{p - 1, p * (p - 1), (p - 1) * n, 3 * n};
       }},
      {Operation::ReduceScatter, "direct",
       [](Int p, Int, Int n) {
         return Costs{1, p * (p - 1), (p - 1) * n, (p - 1) * n};
       }},
      {Operation::Scan, "recursive-doubling",
       [](Int p, Int l, Int n) {
         return Costs{l, p * l - (p - 1), l * n, n};
       }},
      {Operation::Scan, "linear",
       [](Int p, Int, Int n) {
         return Costs{p - 1, p - 1, n, n};
       }},
      {Operation::Scan, "binomial",
       [](Int p, Int l, Int n) {
         return Costs{2 * l - 2, 2 * (p - 1) - l, l * n, n};
       }},
      {Operation::Scan, "direct",
       [](Int p, Int, Int n) {
         return Costs{1, p * (p - 1) / 2, (p - 1) * n, (p - 1) * n};
       }},
      {Operation::Exscan, "linear",
       [](Int p, Int, Int n) {
         return Costs{p - 1, p - 1, n, n};
       }},
  };
  return all;
}

TEST(FlatCosts, AreAsTheTableSays) {
  for (const Rank size : {8, 16, 32}) {
    const auto log = static_cast<Int>(std::bit_width(size) - 1);
    for (const Figure& figure : figures()) {
      const Algorithm* algorithm = find_algorithm(figure.operation, figure.name);
      ASSERT_NE(algorithm, nullptr) << figure.name;
      Collective call;
      call.operation = figure.operation;
      call.size = size;
      call.count = kCount;
      EXPECT_EQ(costs_of(testing_support::flat_schedule(*algorithm, call)),
                figure.costs(size, log, kCount))
          << name_of(figure.operation) << " " << figure.name << " on " << size << " ranks";
    }
  }
}

TEST(FlatCosts, OfTheDoubleTreeAreOneMessageLengthEvenAtTheRoot) {
  Collective call;
  call.operation = Operation::Broadcast;
  call.count = kCount;
  for (call.size = 2; call.size <= 40; ++call.size) {
    const Costs costs = costs_of(testing_support::pipeline_schedule(call, /*segment=*/10));
    EXPECT_LE(costs.most_sent, kCount) << call.size;
    EXPECT_EQ(costs.messages, (call.size - 1) * kCount / 10) << call.size;
  }
}

TEST(FlatCosts, OfAnAlltoallOn4096RanksAreAFewStepsARank) {
  Collective call;
  call.operation = Operation::Alltoall;
  call.size = 4096;
  call.count = 3;
  const auto part_of = [&](std::string_view name) {
    return find_algorithm(Operation::Alltoall, name)
        ->build(testing_support::one_level(call.size), call, RankOrder::Rising);
  };
  const PartOf direct = part_of("direct");
  const PartOf bruck = part_of("bruck");
  for (const Rank rank : {0U, 1U, 1234U, 4095U}) {
    EXPECT_EQ(direct(rank).ops.size(), 3U);
    const Program program = bruck(rank);
    EXPECT_LE(program.ops.size(), 3U * 12 + 5);
    for (const schedule::IndexSet& set : program.sets) EXPECT_LE(set.runs().size(), 66U);
  }
}

}  // namespace
}  // namespace espalier::collective
