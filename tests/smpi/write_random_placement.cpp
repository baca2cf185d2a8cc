// write_random_placement SEED DIRECTORY: a random program on a random machine, placed by ours,
// libscotch and TreeMatch-style groups, as SimGrid's SMPI wants it: platform.xml, profile.json,
// hosts.ours, hosts.scotch, hosts.treematch. Prints the predicted seconds.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "map/mappings.hpp"
#include "map/replay.hpp"
#include "place/load_inventory.hpp"
#include "place/portfolio.hpp"
#include "profile/json.hpp"
#include "support/random_placements.hpp"
#include "topology/writers.hpp"

int main(int argc, char** argv) {
  using namespace espalier;
  if (argc != 3) return 2;
  Random rng(std::strtoull(argv[1], nullptr, 10));
  const std::string directory = argv[2];
  const auto size = static_cast<Rank>(4 + rng.below(20));
  const auto inventory = place::load_inventory(map::random_inventory(rng, size));
  const profile::Profile profile = map::random_profile(rng, size);
  const auto problem = make_problem(*inventory, profile, {});
  if (!problem) return 2;
  std::ofstream(directory + "/platform.xml") << topology::write_simgrid(inventory->machine);
  std::ofstream(directory + "/profile.json") << profile::write_json(profile);
  const place::Answer answer = place::place_processes(*problem);
  const auto names = topology::simgrid_hosts(inventory->machine);
  const auto write = [&](const char* name, const map::Placement& placement) {
    std::ofstream hosts(directory + "/hosts." + name);
    for (const std::uint32_t slot : placement) hosts << names[problem->slots[slot].leaf] << '\n';
    std::printf("%s %.6f\n", name, to_seconds(map::predict(*problem, placement)));
  };
  write("ours", answer.candidates[answer.chosen].placement);
  write("scotch", place::scotch_placement(*problem, answer.paper.sorted));
  write("treematch", map::grouped_placement(*problem, answer.paper.sorted));
  return 0;
}
