#include "schedule/program_builder.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "schedule/schedule.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::schedule {
namespace {

using Deps = std::vector<std::uint32_t>;

Deps deps_of(const Program& program, std::size_t op) {
  const auto deps = program.deps_of(program.ops[op]);
  return {deps.begin(), deps.end()};
}

TEST(ProgramBuilder, LetsSegmentsPipeline) {
  ProgramBuilder b(1);
  for (std::uint32_t s = 0; s < 2; ++s) {
    b.recv(0, slice(Buffer::Out, s * 10, 10), s);  // ops 0, 3
    b.send(2, slice(Buffer::Out, s * 10, 10), s);  // ops 1, 4
    b.send(3, slice(Buffer::Out, s * 10, 10), s);  // ops 2, 5
  }
  const Program p = std::move(b).build();
  EXPECT_EQ(deps_of(p, 0), (Deps{}));
  EXPECT_EQ(deps_of(p, 1), (Deps{0}));
  EXPECT_EQ(deps_of(p, 2), (Deps{0}));
  EXPECT_EQ(deps_of(p, 3), (Deps{}));
  EXPECT_EQ(deps_of(p, 5), (Deps{3}));
}

TEST(ProgramBuilder, MakesAWriterWaitForReaders) {
  ProgramBuilder b(0);
  b.send(1, slice(Buffer::Scratch, 0, 10), 0);  // 0
  b.send(2, slice(Buffer::Scratch, 5, 10), 0);  // 1
  b.recv(3, slice(Buffer::Scratch, 8, 4), 0);   // 2: waits for both
  b.recv(3, slice(Buffer::Scratch, 12, 2), 1);  // 3: for the second only
  b.recv(4, slice(Buffer::Scratch, 9, 1), 0);   // 4: for the writer
  const Program p = std::move(b).build();
  EXPECT_EQ(deps_of(p, 2), (Deps{0, 1}));
  EXPECT_EQ(deps_of(p, 3), (Deps{1}));
  EXPECT_EQ(deps_of(p, 4), (Deps{2}));
}

TEST(ProgramBuilder, OrdersReductionsIntoOneAccumulator) {
  ProgramBuilder b(0);
  b.copy(slice(Buffer::In, 0, 4), slice(Buffer::Out, 0, 4));
  b.reduce(slice(Buffer::Scratch, 0, 4), slice(Buffer::Out, 0, 4), Operands::ToThenFrom);
  b.reduce(slice(Buffer::Scratch, 4, 4), slice(Buffer::Out, 0, 4), Operands::ToThenFrom);
  const Program p = std::move(b).build();
  EXPECT_EQ(deps_of(p, 1), (Deps{0}));
  EXPECT_EQ(deps_of(p, 2), (Deps{1}));
}

TEST(ProgramBuilder, WaitsAtAFence) {
  ProgramBuilder b(0);
  b.send(1, {}, 0);
  b.recv(1, {}, 0);
  b.fence();
  b.send(2, {}, 0);
  b.fence();
  b.recv(2, {}, 0);
  const Program p = std::move(b).build();
  EXPECT_EQ(deps_of(p, 1), (Deps{}));
  EXPECT_EQ(deps_of(p, 2), (Deps{0, 1}));
  EXPECT_EQ(deps_of(p, 3), (Deps{2}));
}

TEST(ProgramBuilder, KeepsAFamilyOfMessagesInOneOp) {
  ProgramBuilder b(0);
  b.send_each(IndexSet::range(1, 4095), slice(Buffer::In, 0, 8), 8, 0);
  b.recv_each(IndexSet::range(1, 4095), slice(Buffer::Out, 0, 8), 8, 0);
  b.send(7, slice(Buffer::Out, 56, 8), 1);
  const Program p = std::move(b).build();
  ASSERT_EQ(p.ops.size(), 3u);
  EXPECT_EQ(deps_of(p, 2), (Deps{1}));
  std::uint64_t messages = 0;
  for_each_message(p, p.ops[0], [&](Rank peer, const Region& region) {
    EXPECT_EQ(region.offset, peer * 8u);
    ++messages;
  });
  EXPECT_EQ(messages, 4095u);
}

// Two ranks that send to each other and then receive: if the receive waited for the send, both
// would wait for ever.
TEST(ProgramBuilder, TwoLongStretchesToldInManySlicesAreTwoStretches) {
  ProgramBuilder b(0);
  const std::uint64_t slices = 2 * ProgramBuilder::kMaxStretches;
  IndexSet around = IndexSet::range(3 * slices, slices);
  around.append({0, slices, 1});
  const Axis axis{b.set(around), 2};
  b.send(1, {Buffer::Out, 0, 2, axis, {}}, 0);           // [0, 2 n) and [6 n, 8 n)
  b.recv(1, slice(Buffer::Out, 2 * slices, slices), 0);  // between them
  b.send(1, {Buffer::Out, 0, 2, {}, axis}, 1);
  b.recv(1, slice(Buffer::Out, 2 * slices, slices), 1);
  const Program p = std::move(b).build();
  EXPECT_EQ(deps_of(p, 1), (Deps{}));
  EXPECT_EQ(deps_of(p, 3), (Deps{1}));
}

TEST(ProgramBuilder, RefusesOperandsOfDifferentLength) {
  ProgramBuilder b(0);
  EXPECT_THROW(b.copy(slice(Buffer::In, 0, 4), slice(Buffer::Out, 0, 5)), ContractViolation);
}

TEST(IndexSet, FindsRunsAndForgetsNothing) {
  for_all_seeds(500, [](Random& rng) {
    std::vector<std::uint32_t> indices;
    const std::uint64_t step = 1 + rng.below(4);
    for (std::uint32_t i = 0; i < 60; ++i) {
      if (rng.chance(70)) indices.push_back(static_cast<std::uint32_t>(i * step));
    }
    if (rng.chance(30)) rng.shuffle(std::span(indices));
    const IndexSet set{std::span<const std::uint32_t>(indices)};
    const auto again = set.spelled_out();
    ASSERT_EQ(std::vector<std::uint64_t>(indices.begin(), indices.end()), again);
    ASSERT_EQ(set.size(), indices.size());
  });
  const std::vector<std::uint32_t> cyclic{1, 4, 7, 10};
  EXPECT_EQ(IndexSet(std::span<const std::uint32_t>(cyclic)).runs().size(), 1u);
}

TEST(Hash, TellsProgramsApart) {
  ProgramBuilder a(0), b(0), c(0);
  a.send(1, slice(Buffer::In, 0, 4), 0);
  b.send(1, slice(Buffer::In, 0, 4), 0);
  c.send(1, slice(Buffer::In, 0, 4), 1);
  const Program pa = std::move(a).build(), pb = std::move(b).build(), pc = std::move(c).build();
  EXPECT_EQ(hash_of(pa), hash_of(pb));
  EXPECT_NE(hash_of(pa), hash_of(pc));
}

/// The builder against a plain rule: of any two ops that touch the same unit, one of them writing,
/// the later must wait for the earlier, directly or through others.
TEST(ProgramBuilderProperty, OrdersAllConflictsAndOnlyConflicts) {
  for_all_seeds(300, [](Random& rng) {
    ProgramBuilder b(0);
    struct Touch {
      std::vector<bool> reads = std::vector<bool>(40), writes = std::vector<bool>(40);
    };
    std::vector<Touch> touches;
    const auto random_region = [&](std::uint64_t length) {
      return slice(Buffer::Scratch, rng.below(41 - length), length);
    };
    const auto mark = [](std::vector<bool>& bits, const Region& r) {
      for (std::uint64_t i = 0; i < r.length; ++i) bits[r.offset + i] = true;
    };
    for (std::uint32_t i = 0; i < 25; ++i) {
      Touch touch;
      const std::uint64_t length = 1 + rng.below(8);
      const Region from = random_region(length), to = random_region(length);
      switch (rng.below(4)) {
        case 0:
          b.send(1, from, i);
          mark(touch.reads, from);
          break;
        case 1:
          b.recv(1, to, i);
          mark(touch.writes, to);
          break;
        case 2:
          b.copy(from, to);
          mark(touch.reads, from);
          mark(touch.writes, to);
          break;
        default:
          b.reduce(from, to, Operands::FromThenTo);
          mark(touch.reads, from);
          mark(touch.reads, to);
          mark(touch.writes, to);
      }
      touches.push_back(touch);
    }
    const Program p = std::move(b).build();
    const std::size_t n = p.ops.size();
    std::vector<std::vector<bool>> waits(n, std::vector<bool>(n));
    const auto conflict = [&](std::size_t x, std::size_t y) {
      for (std::size_t u = 0; u < 40; ++u) {
        const bool touched_x = touches[x].reads[u] || touches[x].writes[u];
        const bool touched_y = touches[y].reads[u] || touches[y].writes[u];
        if (touched_x && touched_y && (touches[x].writes[u] || touches[y].writes[u])) return true;
      }
      return false;
    };
    for (std::size_t y = 0; y < n; ++y) {
      for (const std::uint32_t d : p.deps_of(p.ops[y])) {
        ASSERT_LT(d, y);
        ASSERT_TRUE(conflict(d, y));
        waits[y][d] = true;
        for (std::size_t x = 0; x < d; ++x) {
          if (waits[d][x]) waits[y][x] = true;
        }
      }
      for (std::size_t x = 0; x < y; ++x) {
        ASSERT_TRUE(!conflict(x, y) || waits[y][x]) << x << " " << y;
      }
    }
  });
}

}  // namespace
}  // namespace espalier::schedule
