#include <fmt/format.h>

#include "cli/manual.hpp"
#include "tree/algorithm.hpp"

namespace espalier::cli {

Manual tool_manual() {
  return {
      .name = "",
      .tagline = "communication trees for MPI, trained to the network they run on",
      .synopsis = "COMMAND [OPTIONS]\n--help | --version",
      .description =
          "Most networks are not flat: several sites, clusters of unequal nodes, racks behind "
          "slow uplinks. Espalier takes a machine as it is (a file, one line of text, or measured "
          "by discover), plans MPI's collectives for it, predicts, simulates and verifies "
          "the plans, and runs MPI programs along them, unchanged (run).\n\n"
          "Results go to standard output: a drawing for people, or JSON, CSV, SVG and "
          "Graphviz for programs (docs/formats.md describes them; they are stable). What "
          "is computed and not measured is the same on every computer, to the picosecond.",
      .sections = {machines_section()},
      .examples =
          "espalier show \"site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:4(5us)\"\n"
          "espalier tree --algorithm fnf --machine \"proc:8(send=100us|300us*7)\"\n"
          "espalier compare --machine grid.json --size 64KiB\n"};
}

Section machines_section() {
  return {
      "MACHINES",
      "A machine is named by a file (Espalier's own JSON, SimGrid platform XML, hwloc XML, "
      "Slurm's topology.conf; told apart by what is in it), by the name of an example that comes "
      "with the tool (three-machines, flat-64, fat-tree-256 ...; espalier show NAME), by "
      "random:SEED[:PROCESSES], or described in one line, from the outside in:\n\n"
      " TYPE:COUNT(LATENCY,UPLINK,KEY=VALUE...) ...\n\n"
      "LATENCY is that of the channel between the members of this level, UPLINK the bandwidth "
      "of each member's way to it. Further keys: name, backbone, cap (of one flow), hop (latency "
      "of the uplink), and what a message costs a process: send, recv, reduce, speed. A list "
      "such as 100us|300us*7 has one value for each member. Ranks lie in order, or in turn "
      "over the nodes after placement=cyclic. docs/machine.md has the whole story."};
}

Section algorithms_section() {
  std::string text;
  for (const tree::Algorithm& a : tree::algorithms()) {
    text += fmt::format(" {:<10} {}\n {:<10} {}\n", a.name, a.title, "", a.source);
  }
  return {"ALGORITHMS", text};
}

}  // namespace espalier::cli
