// write_placement PROFILE PROCESSES INVENTORY POLICY DIRECTORY: a placement as SimGrid's SMPI wants
// it: DIRECTORY/platform.xml with a host for each slot, DIRECTORY/hosts with that of each rank.
// Prints the predicted time in seconds.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "place/load_inventory.hpp"
#include "place/portfolio.hpp"
#include "profile/load.hpp"
#include "topology/writers.hpp"

int main(int argc, char** argv) {
  using namespace espalier;
  if (argc != 6) return 2;
  const auto profile = profile::load_profile(argv[1], static_cast<Rank>(std::atoi(argv[2])));
  const auto inventory = place::load_inventory(argv[3]);
  if (!profile || !inventory) {
    std::fprintf(stderr, "%s\n", to_string(profile ? inventory.error() : profile.error()).c_str());
    return 2;
  }
  const auto problem = make_problem(*inventory, *profile, {});
  if (!problem) return 2;
  const place::Answer answer = place::place_processes(*problem);
  const std::string policy = argv[4];
  const place::Candidate* chosen = &answer.candidates[answer.chosen];
  for (const place::Candidate& c : answer.candidates) {
    if (c.name == policy) chosen = &c;
  }
  const std::string directory = argv[5];
  std::ofstream(directory + "/platform.xml") << topology::write_simgrid(inventory->machine);
  const auto names = topology::simgrid_hosts(inventory->machine);
  std::ofstream hosts(directory + "/hosts");
  for (const std::uint32_t slot : chosen->placement)
    hosts << names[problem->slots[slot].leaf] << '\n';
  std::printf("%.6f\n", to_seconds(chosen->predicted));
  return hosts ? 0 : 1;
}
