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

  // All plans of another call, and what a late rank does to the best.
  const espalier::Call allreduce{.operation = *espalier::operation_named("allreduce"),
                                 .count = 1000,
                                 .element = espalier::Bytes{8}};
  const auto plans = espalier::all_plans(*machine, allreduce);
  std::cout << plans->size() << " plans for " << name_of(allreduce.operation) << "; the fastest is "
            << plans->front().name()
            << (plans->front().knows_topology() ? ", by the machine\n" : "\n");
  std::vector<espalier::Time> skew(machine->size());
  skew.back() = espalier::milliseconds(200);
  const auto late = plans->front().simulate({.skew = skew});
  std::cout << "with a rank that is 200 ms late: " << late->finish << "\n";

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
