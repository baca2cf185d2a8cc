// Prints the routes between all hosts of a platform as SimGrid finds them, a line for each:
//   source <tab> destination <tab> seconds of latency <tab> bytes a second of its narrowest link
#include <algorithm>
#include <cstdio>
#include <limits>
#include <simgrid/s4u.hpp>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: print_simgrid_routes PLATFORM.xml\n");
    return 2;
  }
  simgrid::s4u::Engine engine(&argc, argv);
  engine.load_platform(argv[1]);
  engine.seal_platform();
  const auto hosts = engine.get_all_hosts();
  for (const auto* from : hosts) {
    for (const auto* to : hosts) {
      if (from == to) continue;
      std::vector<simgrid::s4u::Link*> links;
      double latency = 0;
      from->route_to(to, links, &latency);
      double bandwidth = std::numeric_limits<double>::infinity();
      for (const auto* link : links) bandwidth = std::min(bandwidth, link->get_bandwidth());
      std::printf("%s\t%s\t%.17g\t%.17g\n", from->get_cname(), to->get_cname(), latency, bandwidth);
    }
  }
  return 0;
}
