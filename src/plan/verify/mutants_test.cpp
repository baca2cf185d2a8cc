#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "support/for_all_seeds.hpp"
#include "support/schedules/all.hpp"
#include "support/schedules/mutate.hpp"
#include "support/schedules/oracle.hpp"
#include "verify/verify.hpp"

namespace espalier::verify {
namespace {

using namespace test_schedules;

struct Count {
  std::uint64_t mutants = 0, wrong = 0, refused = 0, only_refused = 0;
};

class Tally {
 public:
  void add(const std::string& what, bool wrong, const Verdict& verdict) {
    for (Count* c : {&by_mutation_[what], &all_}) {
      ++c->mutants;
      c->wrong += wrong ? 1 : 0;
      c->refused += verdict.ok() ? 0 : 1;
      c->only_refused += !verdict.ok() && !wrong ? 1 : 0;
    }
    if (!verdict.ok() && !wrong) ++careful_[std::string(name_of(verdict.findings[0].kind))];
    if (wrong && !verdict.ok()) ++caught_[std::string(name_of(verdict.findings[0].kind))];
  }
  [[nodiscard]] const Count& all() const { return all_; }
  void print() const {
    fmt::print("{:<24}{:>9}{:>9}{:>9}{:>24}\n", "mutation", "mutants", "wrong", "refused",
               "refused, not seen wrong");
    for (const auto& [name, c] : by_mutation_) print_line(name, c);
    print_line("all", all_);
    fmt::print("first finding of the wrong ones:");
    for (const auto& [kind, n] : caught_) fmt::print(" {} {};", kind, n);
    fmt::print("\nfirst finding of those refused but not seen wrong:");
    for (const auto& [kind, n] : careful_) fmt::print(" {} {};", kind, n);
    fmt::print("\n");
  }

 private:
  static void print_line(const std::string& name, const Count& c) {
    fmt::print("{:<24}{:>9}{:>9}{:>9}{:>24}\n", name, c.mutants, c.wrong, c.refused,
               c.only_refused);
  }
  std::map<std::string, Count> by_mutation_;
  std::map<std::string, std::uint64_t> careful_, caught_;
  Count all_;
};

Schedule any_schedule(Random& rng) {
  const auto p = static_cast<Rank>(1 + rng.below(7));
  const auto root = static_cast<Rank>(rng.below(p));
  const auto& makers = all_makers();
  return makers[static_cast<std::size_t>(rng.below(makers.size()))](p, root, 1 + rng.below(7));
}

/// The verifier must refuse whatever the oracle saw going wrong in any of its runs.
void judge(const Schedule& mutant, const std::string& what, int runs, Random& rng, Tally& tally) {
  const Verdict verdict = verify(mutant);
  Oracle oracle(mutant);
  const auto wrong = oracle.find_wrong(runs, rng);
  ASSERT_FALSE(wrong && verdict.ok())
      << title(mutant) << ", " << what << ": accepted, but it " << *wrong;
  tally.add(what, wrong.has_value(), verdict);
}

TEST(MutantsProperty, TheOracleFindsNothingWrongWithHandWrittenSchedules) {
  for_all_seeds(2000, [](Random& rng) {
    const Schedule schedule = any_schedule(rng);
    Oracle oracle(schedule);
    const auto wrong = oracle.find_wrong(4, rng);
    ASSERT_FALSE(wrong) << title(schedule) << ": " << *wrong;
  });
}

const Mutation& any_mutation(Random& rng) {
  const auto& mutations = all_mutations();
  return mutations[static_cast<std::size_t>(rng.below(mutations.size()))];
}

TEST(MutantsProperty, NoMutantThatGoesWrongIsAccepted) {
  Tally tally;
  for_all_seeds(20'000, [&](Random& rng) {
    Schedule mutant = any_schedule(rng);
    const Mutation& mutation = any_mutation(rng);
    if (!mutation.apply(mutant, rng)) return;
    judge(mutant, std::string(mutation.name), 12, rng, tally);
  });
  tally.print();
}

/// With dependencies that fit the changed ops, races do not hide what else is wrong.
TEST(MutantsProperty, NoMutantThatGoesWrongIsAcceptedWhateverItsDependencies) {
  Tally tally;
  for_all_seeds(20'000, [&](Random& rng) {
    Schedule mutant = any_schedule(rng);
    const std::uint64_t changes = 1 + rng.below(3);
    bool changed = false;
    for (std::uint64_t i = 0; i < changes; ++i) changed |= any_mutation(rng).apply(mutant, rng);
    if (!changed) return;
    bool rebuilt = true;
    for (auto& program : mutant.programs) rebuilt &= rebuild_dependencies(program);
    if (!rebuilt) return;
    judge(mutant, fmt::format("{} changes", changes), 6, rng, tally);
  });
  tally.print();
}

/// Sets of ranks, and what is known in a barrier, reach over several machine words here.
TEST(MutantsProperty, NoMutantOfMoreThan64RanksThatGoesWrongIsAccepted) {
  Tally tally;
  for_all_seeds(60, [&](Random& rng) {
    const auto p = static_cast<Rank>(65 + rng.below(80));
    const auto call = [&](Operation o) { return call_of(o, p, 0, 2, rng.chance(50)); };
    Schedule mutant = rng.chance(50)   ? allreduce_recursive_doubling(call(Operation::Allreduce))
                      : rng.chance(50) ? scan_doubling(call(Operation::Scan))
                      : rng.chance(50) ? reduce_binomial(call(Operation::Reduce))
                                       : barrier_dissemination(call(Operation::Barrier));
    ASSERT_TRUE(verify(mutant).ok());
    const Mutation& mutation = any_mutation(rng);
    if (!mutation.apply(mutant, rng)) return;
    judge(mutant, std::string(mutation.name), 2, rng, tally);
  });
  tally.print();
}

/// The builder makes an op wait only for ops that it conflicts with (program_builder_test), so a
/// dependency may be left out only if another path keeps the two in order.
TEST(Mutants, ADroppedDependencyIsRefusedUnlessAnotherPathOrdersTheTwo) {
  std::uint64_t refused = 0, redundant = 0;
  for (const Maker& make : all_makers()) {
    const Schedule whole = make(5, 1, 3);
    if (whole.call.operation == Operation::Barrier) continue;  // fences, not conflicts
    for (std::size_t r = 0; r < whole.programs.size(); ++r) {
      const Editable original(whole.programs[r]);
      for (std::uint32_t op = 0; op < original.steps.size(); ++op) {
        for (std::size_t d = 0; d < original.steps[op].deps.size(); ++d) {
          Editable edit = original;
          const std::uint32_t before = original.steps[op].deps[d];
          edit.steps[op].deps.erase(edit.steps[op].deps.begin() + static_cast<std::ptrdiff_t>(d));
          std::vector<bool> leads_here(op + 1, false);
          leads_here[op] = true;
          for (std::uint32_t i = op; i > before; --i) {
            if (!leads_here[i]) continue;
            for (const std::uint32_t dep : edit.steps[i].deps) leads_here[dep] = true;
          }
          Schedule mutant = whole;
          edit.put_back(mutant.programs[r]);
          ASSERT_EQ(verify(mutant).ok(), leads_here[before])
              << title(mutant) << ", rank " << r << ", op " << op << " without op " << before;
          ++(leads_here[before] ? redundant : refused);
        }
      }
    }
  }
  fmt::print("dropped dependencies: {} refused, {} redundant\n", refused, redundant);
  EXPECT_GT(refused, 1000U);
}

}  // namespace
}  // namespace espalier::verify
