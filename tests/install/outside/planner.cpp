#include <espalier/espalier.hpp>
#include <iostream>

int main() {
  const auto machine = espalier::load_machine("site:2(30ms,100Mbit/s) proc:4(5us)");
  const espalier::Call call{.operation = espalier::Operation::Allreduce, .count = 1000};
  const auto plan = espalier::choose_plan(*machine, call);
  std::cout << plan->name() << " " << *plan->predicted() << "\n";
  return plan->verify().ok() && !espalier::load_machine("/no/such/file") ? 0 : 1;
}
