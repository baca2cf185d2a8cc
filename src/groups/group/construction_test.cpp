#include "group/construction.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "support/for_all_seeds.hpp"
#include "support/group_network.hpp"
#include "support/long_run.hpp"

namespace espalier::group {
namespace {

using testing_support::AnyOrderNetwork;
using testing_support::check_group;
using testing_support::check_routes;
using testing_support::GroupRun;
using testing_support::world;

constexpr Scheme kTrees[] = {Scheme::Centralized, Scheme::ShrinkAndBalance,
                             Scheme::ShrinkByChildren, Scheme::RankAndHash,
                             Scheme::RankAndHashColours};

/// Members as a run of random cases has them: by chance, whole sub-trees, only or no inner
/// vertices.
std::vector<bool> random_members(Random& rng, Rank size, Rank degree) {
  std::vector<bool> members(size);
  const auto percent = static_cast<unsigned>(rng.between(0, 100));
  for (Rank i = 0; i < size; ++i) members[i] = rng.chance(percent);
  switch (rng.below(6)) {
    case 0: {  // a whole sub-tree is missing, or is all there is
      const Rank root = static_cast<Rank>(rng.below(size));
      const bool only = rng.chance(50);
      for (Rank i = 0; i < size; ++i) {
        Rank above = i;
        while (above > root) above = (above - 1) / degree;
        if ((above == root) != only) members[i] = false;
      }
      break;
    }
    case 1:  // every inner vertex is a hole
      for (Rank i = 0; i < size; ++i) members[i] = i * degree + 1 >= size;
      break;
    case 2:
      members.assign(size, rng.chance(50));
      break;  // full or empty
    case 3:   // one
      members.assign(size, false);
      members[rng.below(size)] = true;
      break;
    default:
      break;
  }
  return members;
}

void expect_group(Scheme scheme, const std::map<Id, GroupView>& parents,
                  const std::vector<bool>& members, const ConstructionOptions& options,
                  AnyOrderNetwork& network) {
  const auto colour_of = [&](Id id) { return members[id] ? Colour{7} : kNoColour; };
  GroupRun run(scheme, parents, options);
  run.enter(network, colour_of);
  network.run([&](const Message& m, Endpoint& e) { run.receive(m, e); });
  ASSERT_EQ(run.not_done(), std::nullopt) << name(scheme);
  const auto views = run.views(7, colour_of);
  const auto count = static_cast<Rank>(views.size());
  ASSERT_EQ(check_group(views, options.degree, least_levels(count, options.degree)), "")
      << name(scheme) << " n=" << parents.size() << " m=" << count << " k=" << options.degree;
}

TEST(GroupConstruction, MakesEveryGroupOfSevenProcesses) {
  for (const Scheme scheme : kTrees) {
    for (std::uint32_t bits = 0; bits < 128; ++bits) {
      std::vector<bool> members(7);
      for (Rank i = 0; i < 7; ++i) members[i] = (bits >> i & 1U) != 0;
      AnyOrderNetwork network(bits);
      expect_group(scheme, world(7, 2), members, {.degree = 2}, network);
    }
  }
}

TEST(GroupConstructionProperty, SpansTheMembersInAnyOrderOfMessages) {
  for (const Scheme scheme : kTrees) {
    for_all_seeds(3000, [&](Random& rng) {
      const auto degree = static_cast<Rank>(rng.between(1, 5));
      const auto size = static_cast<Rank>(rng.between(1, degree == 1 ? 24 : 200));
      const auto members = random_members(rng, size, degree);
      const auto other = static_cast<Rank>(rng.between(2, 6));
      const Rank made = rng.chance(80) ? degree : other;
      AnyOrderNetwork network(rng.next());
      expect_group(scheme, world(size, degree), members,
                   {.degree = made, .routable = rng.chance(30)}, network);
    });
  }
}

TEST(GroupConstructionProperty, StandsTheDelayOfAnySingleMessage) {
  for (const Scheme scheme : kTrees) {
    for_all_seeds(12, [&](Random& rng) {
      const auto degree = static_cast<Rank>(rng.between(2, 3));
      const auto size = static_cast<Rank>(rng.between(2, 60));
      const auto members = random_members(rng, size, degree);
      std::size_t messages = 1;
      for (std::size_t delayed = 0; delayed < messages; ++delayed) {
        AnyOrderNetwork network(1);
        network.in_order();
        network.delay(delayed);
        expect_group(scheme, world(size, degree), members, {.degree = degree}, network);
        if (testing::Test::HasFailure()) return;
        messages = network.sent();
      }
    });
  }
}

TEST(GroupConstructionProperty, BalancesLargeTreesWithHoles) {
  for (const Scheme scheme : {Scheme::ShrinkAndBalance, Scheme::ShrinkByChildren}) {
    for_all_seeds(60, [&](Random& rng) {
      const auto degree = static_cast<Rank>(rng.between(2, 4));
      const auto size = static_cast<Rank>(rng.between(500, 5000));
      const auto members = random_members(rng, size, degree);
      AnyOrderNetwork network(rng.next());
      expect_group(scheme, world(size, degree), members, {.degree = degree}, network);
    });
  }
}

// Just below the fraction at which the shrunk tree is no longer too tall most vertices have to
// move.
TEST(GroupConstruction, BalancesThePapersLargestTreeInAnyOrderOfMessages) {
  const Rank size = 131'072;
  for (const Scheme scheme : {Scheme::ShrinkAndBalance, Scheme::ShrinkByChildren}) {
    for (const unsigned per_mille : {600U, 550U, 650U, 675U}) {
      if (per_mille != 600U && !is_long_run()) break;
      Random rng(per_mille);
      std::vector<bool> members(size);
      for (Rank i = 0; i < size; ++i) members[i] = rng.below(1000) < per_mille;
      AnyOrderNetwork network(per_mille);
      expect_group(scheme, world(size, 3), members, {.degree = 3}, network);
      if (testing::Test::HasFailure()) return;
    }
  }
}

// What takes long in Shrink-and-Balance is many vertices passing through one. Thousands have to
// leave one sub-tree here: the members are those below one child of the root, or all but the inner
// vertices.
TEST(GroupConstruction, NoProcessHandlesMoreThanLogSquaredMessages) {
  const Rank size = 20'000, degree = 3;
  for (const Scheme scheme : {Scheme::ShrinkAndBalance, Scheme::ShrinkByChildren}) {
    for (const Rank below : {0U, 1U, 2U, 3U, 4U, 13U}) {
      std::vector<bool> members(size);
      for (Rank i = 0; i < size; ++i) {
        Rank above = i;
        while (above > below) above = (above - 1) / degree;
        members[i] = below > 0 ? above == below : i * degree + 1 >= size;
      }
      const auto colour_of = [&](Id id) { return members[id] ? Colour{7} : kNoColour; };
      AnyOrderNetwork network(1);
      network.in_order();
      GroupRun run(scheme, world(size, degree), {.degree = degree});
      run.enter(network, colour_of);
      std::vector<std::uint32_t> handled(size);
      network.run([&](const Message& m, Endpoint& e) {
        ++handled[e.self()];
        run.receive(m, e);
      });
      ASSERT_EQ(run.not_done(), std::nullopt);
      const auto views = run.views(7, colour_of);
      ASSERT_EQ(check_group(views, degree, least_levels(Rank(views.size()), degree)), "");
      EXPECT_LE(*std::max_element(handled.begin(), handled.end()), 14U * 14U) << below;
    }
  }
}

TEST(GroupConstructionProperty, NestsInGroupsOfEveryKind) {
  for_all_seeds(1500, [&](Random& rng) {
    const auto size = static_cast<Rank>(rng.between(2, 80));
    std::map<Id, GroupView> parents = world(size, static_cast<Rank>(rng.between(2, 4)));
    for (int depth = 0; depth < 3 && !parents.empty(); ++depth) {
      const Scheme scheme = kTrees[rng.below(std::size(kTrees))];
      const ConstructionOptions options{.degree = static_cast<Rank>(rng.between(1, 4)),
                                        .routable = rng.chance(50)};
      std::vector<bool> members(size);
      for (Rank i = 0; i < size; ++i) members[i] = rng.chance(75);
      const auto colour_of = [&](Id id) { return members[id] ? Colour{0} : kNoColour; };
      AnyOrderNetwork network(rng.next());
      GroupRun run(scheme, parents, options, 1 + static_cast<Tag>(depth));
      run.enter(network, colour_of);
      network.run([&](const Message& m, Endpoint& e) { run.receive(m, e); });
      ASSERT_EQ(run.not_done(), std::nullopt) << name(scheme);
      parents = run.views(0, colour_of);
      const auto count = static_cast<Rank>(parents.size());
      ASSERT_EQ(check_group(parents, options.degree, least_levels(count, options.degree)), "")
          << name(scheme);
      ASSERT_EQ(check_routes(parents), "") << name(scheme) << " routable " << options.routable;
    }
  });
}

void expect_colours(Scheme scheme, Random& rng) {
  const auto degree = static_cast<Rank>(rng.between(1, 4));
  const auto size = static_cast<Rank>(rng.between(1, degree == 1 ? 20 : 100));
  const auto colours = static_cast<Rank>(rng.between(1, rng.chance(50) ? size : 4));
  std::vector<Colour> colour(size);
  for (Colour& c : colour) c = rng.chance(10) ? kNoColour : static_cast<Colour>(rng.below(colours));
  const auto colour_of = [&](Id id) { return colour[id]; };
  AnyOrderNetwork network(rng.next());
  GroupRun run(scheme, world(size, degree), {.degree = degree, .routable = rng.chance(30)});
  run.enter(network, colour_of);
  network.run([&](const Message& m, Endpoint& e) { run.receive(m, e); });
  ASSERT_EQ(run.not_done(), std::nullopt);
  for (Colour c = 0; c < colours; ++c) {
    const auto views = run.views(c, colour_of);
    const auto count = static_cast<Rank>(views.size());
    ASSERT_EQ(check_group(views, degree, least_levels(count, degree)), "") << "colour " << c;
  }
}

TEST(GroupConstructionProperty, MakesManyColoursAtOnce) {
  for (const Scheme scheme :
       {Scheme::RankAndHashColours, Scheme::AllgatherSort, Scheme::ParallelSort}) {
    for_all_seeds(1000, [&](Random& rng) { expect_colours(scheme, rng); });
  }
}

TEST(GroupConstructionProperty, ChainsLinkTheMembersInOrder) {
  for_all_seeds(1000, [&](Random& rng) {
    const auto size = static_cast<Rank>(rng.between(1, 70));
    const auto members = random_members(rng, size, 2);
    AnyOrderNetwork network(rng.next());
    const auto colour_of = [&](Id id) { return members[id] ? Colour{7} : kNoColour; };
    GroupRun run(Scheme::Chains, world(size, 2), {});
    run.enter(network, colour_of);
    network.run([&](const Message& m, Endpoint& e) { run.receive(m, e); });
    ASSERT_EQ(run.not_done(), std::nullopt);
    const auto views = run.views(7, colour_of);
    ASSERT_EQ(check_group(views, 1, size), "");
    Rank next = 0;
    for (const auto& [id, view] : views) ASSERT_EQ(view.rank, next++);
  });
}

TEST(GroupConstruction, RefusesADegreeOfNothing) {
  const GroupView view = world_view(0, 3, 2);
  EXPECT_THROW((void)make_construction(Scheme::RankAndHash, 1, view, {.degree = 0}),
               ContractViolation);
  EXPECT_THROW((void)make_construction(Scheme::Centralized, 1, GroupView{}, {}), ContractViolation);
  EXPECT_THROW((void)world_view(3, 3, 2), ContractViolation);
}

TEST(GroupConstruction, NamesItsSchemes) {
  for (const Scheme scheme : all_schemes()) EXPECT_EQ(parse_scheme(name(scheme)).value(), scheme);
  EXPECT_FALSE(parse_scheme("rank").has_value());
}

}  // namespace
}  // namespace espalier::group
