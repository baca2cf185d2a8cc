// Models: what a message costs. No MPI.
#include <espalier/model.hpp>
#include <iostream>

int main() {
  using espalier::Bytes;
  const auto machine = espalier::load_machine("site:2(30ms,100Mbit/s) proc:2(5us,send=2us)");
  for (const char* name : {"levels", "hockney", "postal:lambda=2.5"}) {
    const auto model = espalier::make_model(*machine, name);
    if (!model) {
      std::cerr << model.error() << "\n";
      return 2;
    }
    const espalier::MessageCost near = model->cost(0, 1, Bytes{65536});
    const espalier::MessageCost far = model->cost(0, 3, Bytes{65536});
    std::cout << model->name() << ": 64 KiB next door in " << near.delivered << ", far away in "
              << far.delivered << "\n";
  }
  std::cout << "all of them: " << espalier::model_names() << "\n";
  const auto wrong = espalier::make_model(*machine, "hockny");
  std::cout << wrong.error() << "\n";  // where, what, and what to do
  return wrong ? 1 : 0;
}
