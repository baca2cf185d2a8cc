// Bounds of calls with blocks of different lengths on random machines, as JSON for witness_test.py:
// `espalier plan` has no such calls. A case has the machine and what a plan's JSON would say.
#include <cstdlib>
#include <iostream>

#include "base/json.hpp"
#include "base/random.hpp"
#include "bound/lower_bound.hpp"
#include "select/rank_by_simulation.hpp"
#include "topology/random_machine.hpp"
#include "topology/writers.hpp"

int main(int argc, char** argv) {
  using namespace espalier;
  using schedule::Operation;
  const std::uint64_t cases = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100;
  constexpr Operation kWithBlocks[] = {Operation::Gather, Operation::Scatter, Operation::Allgather,
                                       Operation::Alltoall, Operation::ReduceScatter};
  Json all = Json::array();
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    Random rng(seed);
    const topology::Machine machine = topology::random_machine(rng.next(), {2, 11, 4, true});
    schedule::Collective call;
    call.operation = kWithBlocks[rng.below(std::size(kWithBlocks))];
    call.size = machine.size();
    call.root = static_cast<Rank>(rng.below(call.size));
    call.element = Bytes{8};
    call.commutative = call.operation != Operation::ReduceScatter || rng.chance(50);
    const std::size_t blocks =
        call.operation == Operation::Alltoall ? call.size * call.size : call.size;
    for (std::size_t b = 0; b < blocks; ++b) {
      call.counts.push_back(rng.chance(30) ? 0 : rng.below(seed % 2 == 0 ? 10 : 20'000));
    }
    const collective::Hierarchy hierarchy(machine);
    const auto scored = select::score(select::candidates(hierarchy, call), call, machine, {});
    const bound::LowerBound least = bound::lower_bound(machine, call);
    all.push_back({{"machine", Json::parse(write_json(machine))},
                   {"plan",
                    {{"operation", name_of(call.operation)},
                     {"ranks", call.size},
                     {"root", call.root},
                     {"counts", call.counts},
                     {"element_bytes", call.element.value},
                     {"size_bytes", 0},
                     {"commutative", call.commutative},
                     {"finish_ps", scored.front().result.finish.picoseconds},
                     {"bound_ps", least.value.picoseconds},
                     {"bound_because", describe(least.witness, machine)},
                     {"witness", to_json(least, machine)},
                     {"candidates", Json::array()}}}});
  }
  std::cout << all << "\n";
}
