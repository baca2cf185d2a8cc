#include <gtest/gtest.h>

#include "collective/multilevel_calls.hpp"
#include "support/for_all_seeds.hpp"
#include "support/long_run.hpp"
#include "support/multilevel_cases.hpp"
#include "topology/views.hpp"

namespace espalier::collective {
namespace {

using schedule::Operation;
using namespace testing_support;

class MultilevelOfEach : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static Operation operation() { return static_cast<Operation>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Operation, MultilevelOfEach, testing::Range(0, schedule::kOperationCount),
                         [](const auto& test) {
                           std::string name(name_of(static_cast<Operation>(test.param)));
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(MultilevelOfEach, IsVerifiedOnRandomMachines) {
  for_all_seeds(is_long_run() ? 600 : 200, [&](Random& rng) {
    const topology::Machine machine = some_machine(rng);
    const Hierarchy hierarchy(machine);
    const auto call = some_call(rng, operation(), machine.size());
    const auto choice = some_choice(rng, machine.levels().size());
    ASSERT_EQ(complaint_of(multilevel_schedule(hierarchy, choice, call)), "");
  });
}

TEST_P(MultilevelOfEach, IsVerifiedInItsTwoLevelForms) {
  for_all_seeds(is_long_run() ? 150 : 75, [&](Random& rng) {
    const topology::Machine machine = some_machine(rng);
    for (std::uint32_t depth = 1; depth < machine.levels().size(); ++depth) {
      const topology::Machine view = topology::two_level_view(machine, depth);
      const Hierarchy hierarchy(view);
      const auto call = some_call(rng, operation(), machine.size());
      const auto choice = some_choice(rng, view.levels().size());
      ASSERT_EQ(complaint_of(multilevel_schedule(hierarchy, choice, call)), "");
    }
  });
}

TEST_P(MultilevelOfEach, IsVerifiedOnMachinesOf65To256Processes) {
  for_all_seeds(12, [&](Random& rng) {
    topology::RandomMachineOptions options;
    options.min_processes = 65;
    options.max_processes = 256;
    const topology::Machine machine = topology::random_machine(rng.next(), options);
    const Hierarchy hierarchy(machine);
    auto call = some_call(rng, operation(), machine.size());
    auto choice = some_choice(rng, machine.levels().size());
    for (LevelChoice& level : choice.levels) level.segment = 0;
    ASSERT_EQ(complaint_of(multilevel_schedule(hierarchy, choice, call)), "");
  });
}

}  // namespace
}  // namespace espalier::collective
