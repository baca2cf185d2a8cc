#include "mpi/sections/kinds.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace espalier::sections {

const std::vector<Kind>& all_kinds() {
  static const std::vector<Kind> all{
      {"plain", nullptr, 30},
      {"world", nullptr, 8, true},
      {"repeated", step_repeated, 6},
      {"tried", step_tried, 6},
      {"starts", step_starts, 8},
      {"empty_types", step_empty_types, 8},
      {"between", step_between_groups, 8},
      {"neighbours", step_neighbours, 6},
      {"info", step_info, 6},
      {"many", step_many, 1},
      {"exhausted", step_exhausted, 1},
      {"session", step_session, 4},
      {"copies", step_copy_callback, 6},
      {"deletes", step_delete_callback, 6},
      {"returns", step_error_returned, 8},
      {"throws", step_error_thrown, 6},
      {"jumps", step_error_jumped, 6},
      {"ahead", step_ahead, 3},
      {"far_ahead", step_far_ahead, 1},
      {"threads", step_threads, 4},
      {"fatal", step_fatal, 1},
      {"abort", step_abort, 1},
      {"uncaught", step_uncaught, 1},
      {"spawn", step_spawn, 1},
  };
  return all;
}

std::vector<Kind> kinds_named(const std::string& names) {
  std::vector<Kind> chosen;
  std::istringstream words(names);
  for (std::string name; std::getline(words, name, ',');) {
    const auto at = std::find_if(all_kinds().begin(), all_kinds().end(),
                                 [&](const Kind& one) { return name == one.name; });
    if (at == all_kinds().end()) return {};
    chosen.push_back(*at);
  }
  return chosen;
}

void any_blocking_step(Section& section, Random& random) {
  constexpr std::array<Step, 8> kSteps{step_broadcast, step_broadcast,  step_reduction,
                                       step_reduction, step_reduction,  step_blocks,
                                       step_irregular, step_mixed_types};
  kSteps[random.below(kSteps.size())](section, random);
}

void step_tried(Section& section, Random& random) {
  const std::uint64_t calls = 70 + random.below(random.chance(25) ? 400 : 100);
  const std::uint64_t kinds = 1 + random.below(2);
  const std::uint64_t seed = random.next();
  section.say(std::to_string(calls) + " times:");
  for (section.turn = 1; section.turn <= calls; ++section.turn) {
    if (section.turn % 16 == 0) come_late(section, random);
    Random same(mixed(seed, section.turn % kinds));
    any_blocking_step(section, same);
  }
  section.turn = 0;
}

void any_step(Section& section, Random& random) {
  constexpr std::array<Step, 4> kSteps{step_nonblocking, step_persistent, step_messages,
                                       step_communicator};
  if (random.chance(60)) return any_blocking_step(section, random);
  kSteps[random.below(kSteps.size())](section, random);
}

}  // namespace espalier::sections
