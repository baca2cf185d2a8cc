// bounds MACHINE EVERY BYTES...: what no plan can beat, mean over every EVERYth root, as lines of
//   operation,bytes,microseconds
#include <cstdio>
#include <cstdlib>

#include "bound/lower_bound.hpp"
#include "topology/load_machine.hpp"

namespace {

using espalier::Bytes;
using espalier::Rank;
using espalier::schedule::Operation;

void print(const espalier::topology::Machine& machine, Operation operation, bool has_root,
           std::uint64_t bytes, Rank every) {
  double total = 0;
  int runs = 0;
  for (Rank root = 0; root < (has_root ? machine.size() : 1); root += every, ++runs) {
    const espalier::schedule::Collective call{operation, machine.size(), root, bytes / 8,
                                              Bytes{8},  true,           {}};
    total += to_microseconds(espalier::bound::lower_bound(machine, call).value);
  }
  std::printf("%s,%llu,%.3f\n", std::string(name_of(operation)).c_str(),
              static_cast<unsigned long long>(bytes), total / runs);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto loaded = espalier::topology::load_machine(argv[1]);
  if (!loaded) {
    std::fprintf(stderr, "%s\n", espalier::to_string(loaded.error()).c_str());
    return 2;
  }
  const auto every = static_cast<Rank>(std::strtoul(argv[2], nullptr, 10));
  for (int i = 3; i < argc; ++i) {
    const std::uint64_t bytes = std::strtoull(argv[i], nullptr, 10);
    print(loaded->machine, Operation::Broadcast, true, bytes, every);
    print(loaded->machine, Operation::Reduce, true, bytes, every);
    print(loaded->machine, Operation::Allreduce, false, bytes, every);
  }
  print(loaded->machine, Operation::Barrier, false, 0, every);
}
