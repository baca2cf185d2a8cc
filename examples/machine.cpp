// Machines: read one, ask it. No MPI.
//   machine [FILE or "site:2(30ms) proc:4"]
#include <espalier/machine.hpp>
#include <iostream>

int main(int argc, char** argv) {
  const auto machine = espalier::load_machine(
      argc > 1 ? argv[1] : "site:2(30ms,100Mbit/s) node:1|2(500us,1Gbit/s) proc:2(5us)");
  if (!machine) {
    std::cerr << machine.error() << "\n";
    return 2;
  }
  std::cout << machine->name() << ": " << machine->size() << " processes, "
            << machine->levels().size() << " levels\n";
  for (const espalier::Cluster& cluster : machine->clusters()) {
    std::cout << "level " << cluster.level << ": " << cluster.ranks.size() << " processes, latency "
              << cluster.latency << "\n";
  }
  const espalier::Rank last = machine->size() - 1;
  const espalier::Path path = machine->path(0, last);
  std::cout << "0 to " << last << ": level " << path.level << ", " << path.latency << ", "
            << path.bandwidth << "\n";
  std::cout << machine->describe(last) << " has " << machine->depth(last)
            << " levels, its colours are";
  for (const std::uint32_t colour : machine->colours(last)) std::cout << " " << colour;
  std::cout << "; a message costs it " << machine->costs(last).send << "\n";
  for (const std::string& note : machine->notes()) std::cout << "note: " << note << "\n";
  const auto part = machine->part(std::vector<espalier::Rank>{0, last});
  std::cout << "these two alone: " << part->size() << " processes\n";
  return espalier::parse_machine(machine->to_json()).value() == *machine ? 0 : 1;
}
