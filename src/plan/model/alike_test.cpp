#include "model/alike.hpp"

#include <gtest/gtest.h>

#include "model/hockney.hpp"
#include "model/levels.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"

namespace espalier::model {
namespace {

void expect_alike_where_told(const CostModel& model, const std::vector<Rank>& kinds, Random& rng) {
  for (Rank a = 0; a < model.size(); ++a) {
    for (Rank b = 0; b < a; ++b) {
      if (kinds[a] != kinds[b]) continue;
      const auto third = static_cast<Rank>(rng.below(model.size()));
      if (third == a || third == b) continue;
      const Bytes size{rng.below(1'000'000)};
      ASSERT_EQ(model.cost(a, third, size), model.cost(b, third, size)) << a << ' ' << b;
      ASSERT_EQ(model.cost(third, a, size), model.cost(third, b, size)) << a << ' ' << b;
    }
  }
}

TEST(AlikeProperty, MeansTheSameCostsToAndFromAnyThirdRank) {
  for_all_seeds(200, [](Random& rng) {
    const topology::Machine machine = topology::random_machine(rng.next());
    expect_alike_where_told(Levels(machine), kinds_of(machine), rng);
    expect_alike_where_told(MachineHockney(machine), kinds_of(machine), rng);
  });
}

}  // namespace
}  // namespace espalier::model
