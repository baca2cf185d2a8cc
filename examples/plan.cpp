// Plans: choose one, prove it, predict and simulate it, hold it against the lower bound. No MPI.
#include <espalier/espalier.hpp>
#include <iostream>

int main() {
  const auto machine =
      espalier::load_machine("site:2(30ms,100Mbit/s) node:1|2(500us,1Gbit/s) proc:4(5us)");
  const espalier::Call call{.operation = espalier::Operation::Broadcast, .count = 1 << 20};
  const auto plan = espalier::choose_plan(*machine, call);
  if (!plan) {
    std::cerr << plan.error() << "\n";
    return 2;
  }
  const espalier::Verdict verdict = plan->verify();
  std::cout << plan->name() << ": " << (verdict.ok() ? "verified" : "wrong") << ", "
            << verdict.messages << " messages\n";
  for (const std::string& level : plan->per_level()) std::cout << "  " << level << "\n";
  const auto bound = espalier::lower_bound(*machine, call);
  std::cout << "predicted " << *plan->predicted() << ", simulated " << plan->simulate()->finish
            << ", no plan takes less than " << bound->time << ":\n  " << bound->why << "\n";

  const auto ring = espalier::plan_named(*machine, call, "scatter-ring");
  std::cout << ring->name() << ": simulated " << ring->simulate()->finish << "\n";

  // A scatterv: most of it goes to the last rank.
  espalier::Call scatterv{.operation = espalier::Operation::Scatter};
  scatterv.counts.assign(machine->size(), 1000);
  scatterv.counts.back() = 500000;
  const auto by_lengths = espalier::choose_plan(*machine, scatterv);
  std::cout << "scatterv: " << by_lengths->name() << ", " << *by_lengths->predicted() << "\n";

  // As JSON, for other tools; and back.
  const auto again = espalier::read_plan(*machine, plan->to_json());
  return verdict.ok() && again->hash() == plan->hash() ? 0 : 1;
}
