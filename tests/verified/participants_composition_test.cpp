// The algorithms level by level: among teams that are not all ranks in order, on layouts that are
// not a call's own.
#include <gtest/gtest.h>

#include <algorithm>

#include "collective/allgather.hpp"
#include "collective/allreduce.hpp"
#include "collective/alltoall.hpp"
#include "collective/broadcast.hpp"
#include "collective/gather_scatter.hpp"
#include "collective/reduce_scatter.hpp"
#include "support/check_schedule.hpp"
#include "support/for_all_seeds.hpp"
#include "verify/verify.hpp"

namespace espalier::collective {
namespace {

using schedule::Buffer;
using schedule::Collective;
using schedule::IndexSet;
using schedule::Operation;
using schedule::ProgramBuilder;
using schedule::Schedule;
using schedule::slice;
using testing_support::check_schedule;

using Append = std::function<void(ProgramBuilder&, Rank me)>;

/// Both by running it and by proof.
std::string check(const Collective& call, std::uint64_t seed, const Append& append) {
  Schedule schedule{call, "composed", {}};
  for (Rank r = 0; r < call.size; ++r) {
    ProgramBuilder program(r);
    append(program, r);
    schedule.programs.push_back(std::move(program).build());
  }
  const std::string complaint = check_schedule(schedule, seed);
  if (!complaint.empty()) return complaint;
  const verify::Verdict verdict = verify::verify(schedule);
  return verdict.ok() ? "" : to_string(verdict);
}

Collective random_call(Random& rng, Operation operation) {
  Collective call;
  call.operation = operation;
  call.size = static_cast<Rank>(rng.between(1, 20));
  call.root = static_cast<Rank>(rng.below(call.size));
  call.count = rng.below(20);
  return call;
}

std::vector<Rank> shuffled_ranks(Random& rng, Rank size) {
  std::vector<Rank> ranks(size);
  for (Rank r = 0; r < size; ++r) ranks[r] = r;
  rng.shuffle(std::span(ranks));
  return ranks;
}

Rank position_of(const std::vector<Rank>& ranks, Rank rank) {
  return static_cast<Rank>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

/// Block p is that of the participants's p-th rank, where a call's buffer has it.
BlockLayout by_rank(Buffer buffer, const std::vector<Rank>& ranks, std::uint64_t block) {
  std::vector<IndexSet> members;
  for (const Rank r : ranks) members.push_back(IndexSet::single(r));
  return BlockLayout::bundles(buffer, 0, block, members);
}

TEST(ParticipantsProperty, AllgathersInAnyOrderOfTheRanks) {
  for_all_seeds(300, [](Random& rng) {
    const Collective call = random_call(rng, Operation::Allgather);
    const auto ranks = shuffled_ranks(rng, call.size);
    const std::uint64_t which = rng.below(4);
    ASSERT_EQ(check(call, rng.next(),
                    [&](ProgramBuilder& program, Rank me) {
                      const Participants participants{ranks, position_of(ranks, me)};
                      const BlockLayout all = by_rank(Buffer::Out, ranks, call.count);
                      program.copy(slice(Buffer::In, 0, call.count),
                                   slice(Buffer::Out, me * call.count, call.count));
                      if (which == 0) ring_allgather(program, participants, all);
                      if (which == 1) bruck_allgather(program, participants, all);
                      if (which == 2) direct_allgather(program, participants, all, 0);
                      if (which == 3) gather_broadcast_allgather(program, participants, all);
                    }),
              "");
  });
}

TEST(ParticipantsProperty, ExchangesInAnyOrderOfTheRanks) {
  for_all_seeds(300, [](Random& rng) {
    const Collective call = random_call(rng, Operation::Alltoall);
    const auto ranks = shuffled_ranks(rng, call.size);
    const bool direct = rng.chance(50);
    ASSERT_EQ(check(call, rng.next(),
                    [&](ProgramBuilder& program, Rank me) {
                      const Participants participants{ranks, position_of(ranks, me)};
                      const BlockLayout from = by_rank(Buffer::In, ranks, call.count);
                      const BlockLayout to = by_rank(Buffer::Out, ranks, call.count);
                      if (direct) direct_alltoall(program, participants, from, to, 0);
                      if (!direct) pairwise_alltoall(program, participants, from, to);
                    }),
              "");
  });
}

TEST(ParticipantsProperty, ReduceScattersInAnyOrderOfTheRanks) {
  for_all_seeds(300, [](Random& rng) {
    const Collective call = random_call(rng, Operation::ReduceScatter);
    const auto ranks = shuffled_ranks(rng, call.size);
    const std::uint64_t which = rng.below(5);
    ASSERT_EQ(check(call, rng.next(),
                    [&](ProgramBuilder& program, Rank me) {
                      const Participants participants{ranks, position_of(ranks, me)};
                      const BlockLayout from = by_rank(Buffer::In, ranks, call.count);
                      const auto mine = slice(Buffer::Out, 0, call.count);
                      if (which == 0)
                        recursive_halving_reduce_scatter(program, participants, from, mine);
                      if (which == 1) butterfly_reduce_scatter(program, participants, from, mine);
                      if (which == 2) ring_reduce_scatter(program, participants, from, mine);
                      if (which == 3) pairwise_reduce_scatter(program, participants, from, mine);
                      if (which == 4) direct_reduce_scatter(program, participants, from, mine);
                    }),
              "");
  });
}

/// The ranks dealt out to clusters: in runs, or as chance will have it.
struct Clusters {
  std::vector<std::vector<Rank>> members;
  std::vector<Rank> cluster_of;

  [[nodiscard]] Participants within(Rank me) const {
    const auto& ranks = members[cluster_of[me]];
    return {ranks, position_of(ranks, me)};
  }
  [[nodiscard]] bool is_master(Rank me) const { return within(me).me == 0; }
  [[nodiscard]] Participants masters(Rank me) const {
    Participants participants;
    for (const auto& ranks : members) participants.ranks.push_back(ranks.front());
    participants.me = cluster_of[me];
    return participants;
  }
};

Clusters random_clusters(Random& rng, Rank size, bool in_runs) {
  Clusters found;
  const Rank count = static_cast<Rank>(rng.between(1, std::min<Rank>(size, 6)));
  found.members.resize(count);
  for (Rank r = 0; r < size; ++r) {
    Rank cluster = r < count ? r : static_cast<Rank>(rng.below(count));
    if (in_runs) cluster = static_cast<Rank>(std::uint64_t{r} * count / size);
    found.cluster_of.push_back(cluster);
    found.members[cluster].push_back(r);
  }
  return found;
}

TEST(ParticipantsProperty, AllgathersTheBundlesOfScatteredClusters) {
  for_all_seeds(300, [](Random& rng) {
    const Collective call = random_call(rng, Operation::Allgather);
    const Clusters clusters = random_clusters(rng, call.size, false);
    std::vector<IndexSet> bundles;
    for (const auto& ranks : clusters.members) bundles.emplace_back(ranks);
    const std::uint64_t which = rng.below(3);
    const bool linear = rng.chance(50);
    ASSERT_EQ(check(call, rng.next(),
                    [&](ProgramBuilder& program, Rank me) {
                      const Participants within = clusters.within(me);
                      const auto own = slice(Buffer::In, 0, call.count);
                      const BlockLayout here = by_rank(Buffer::Out, within.ranks, call.count);
                      // Tags of the builder's own count from 0, so the caller's are far from them.
                      if (linear) linear_gather(program, within, 0, own, here, 1000);
                      if (!linear) binomial_gather(program, within, 0, own, here);
                      if (clusters.is_master(me)) {
                        const Participants masters = clusters.masters(me);
                        const auto all = BlockLayout::bundles(Buffer::Out, 0, call.count, bundles);
                        if (which == 0) ring_allgather(program, masters, all);
                        if (which == 1) bruck_allgather(program, masters, all);
                        if (which == 2) direct_allgather(program, masters, all, 1001);
                      }
                      const auto everything = slice(Buffer::Out, 0, call.count * call.size);
                      scatter_allgather_broadcast(program, within, 0, everything,
                                                  AllgatherOf::Ring);
                    }),
              "");
  });
}

TEST(ParticipantsProperty, ScattersBundlesOfUnevenClusters) {
  for_all_seeds(300, [](Random& rng) {
    Collective call = random_call(rng, Operation::Scatter);
    call.root = 0;  // the first master
    const Clusters clusters = random_clusters(rng, call.size, false);
    std::vector<IndexSet> bundles;
    for (const auto& ranks : clusters.members) bundles.emplace_back(ranks);
    const bool linear = rng.chance(50);
    ASSERT_EQ(check(call, rng.next(),
                    [&](ProgramBuilder& program, Rank me) {
                      const Participants within = clusters.within(me);
                      const auto own = slice(Buffer::Out, 0, call.count);
                      const std::uint64_t bundle =
                          clusters.is_master(me) ? within.size() * call.count : 0;
                      const std::uint64_t scratch = program.scratch(bundle);
                      if (clusters.is_master(me)) {
                        binomial_scatter(program, clusters.masters(me), 0,
                                         BlockLayout::bundles(Buffer::In, 0, call.count, bundles),
                                         slice(Buffer::Scratch, scratch, bundle));
                      }
                      const auto here =
                          BlockLayout::uniform(Buffer::Scratch, scratch, within.size(), call.count);
                      if (linear) linear_scatter(program, within, 0, here, own, 1000);
                      if (!linear) binomial_scatter(program, within, 0, here, own);
                    }),
              "");
  });
}

TEST(ParticipantsProperty, AllreducesLevelByLevelInRankOrderIfClustersAreRuns) {
  for_all_seeds(300, [](Random& rng) {
    Collective call = random_call(rng, Operation::Allreduce);
    call.commutative = rng.chance(50);
    const Clusters clusters = random_clusters(rng, call.size, !call.commutative);
    const bool halving = rng.chance(50);
    const bool double_tree = rng.chance(50);
    ASSERT_EQ(check(call, rng.next(),
                    [&](ProgramBuilder& program, Rank me) {
                      const Participants within = clusters.within(me);
                      const auto in = slice(Buffer::In, 0, call.count);
                      const auto out = slice(Buffer::Out, 0, call.count);
                      rabenseifner_reduce(program, within, 0, in, out);
                      if (clusters.is_master(me)) {
                        const Participants masters = clusters.masters(me);
                        if (halving) rabenseifner_allreduce(program, masters, out);
                        if (!halving) recursive_doubling_allreduce(program, masters, out);
                      }
                      if (double_tree) {
                        double_tree_broadcast(program, within, 0, out, 3);
                      } else {
                        scatter_allgather_broadcast(program, within, 0, out, AllgatherOf::Ring);
                      }
                    }),
              "");
  });
}

}  // namespace
}  // namespace espalier::collective
