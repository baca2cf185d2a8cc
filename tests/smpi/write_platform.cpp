// write_platform MACHINE DIRECTORY [pairs]: a machine as SimGrid's SMPI wants it, with one host for
// each process: DIRECTORY/platform.xml (with "pairs": a route for each pair of hosts),
// DIRECTORY/hosts (of rank 0, rank 1, ...), and the machine itself, as the runtime reads it,
// DIRECTORY/machine.json.
#include <cstdio>
#include <fstream>
#include <string>

#include "topology/load_machine.hpp"
#include "topology/writers.hpp"

int main(int argc, char** argv) {
  namespace topology = espalier::topology;
  const bool pairs = argc == 4 && std::string(argv[3]) == "pairs";
  if (argc != 3 && !pairs) return 2;
  const auto loaded = topology::load_machine(argv[1]);
  if (!loaded) {
    std::fprintf(stderr, "%s\n", espalier::to_string(loaded.error()).c_str());
    return 2;
  }
  const std::string directory = argv[2];
  std::ofstream(directory + "/platform.xml")
      << (pairs ? topology::write_simgrid_pairs(loaded->machine)
                : topology::write_simgrid(loaded->machine));
  std::ofstream(directory + "/machine.json") << topology::write_json(loaded->machine);
  std::ofstream hosts(directory + "/hosts");
  for (const std::string& host : topology::simgrid_hosts(loaded->machine)) hosts << host << '\n';
  return hosts ? 0 : 1;
}
