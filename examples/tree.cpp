// Trees: every algorithm on nodes of unequal speed; a multicast; several multicasts at once.
#include <espalier/tree.hpp>
#include <iostream>

int main() {
  using espalier::Bytes;
  const auto machine = espalier::load_machine("proc:8(50us,send=100us*4|300us*4)");
  const auto model = espalier::make_model(*machine);
  for (const espalier::TreeAlgorithm& algorithm : espalier::tree_algorithms()) {
    const auto tree = espalier::build_tree(*model, algorithm.name, {.root = 0});
    if (!tree) {  // some are for certain models only, and say so
      std::cout << algorithm.name << ": " << tree.error().what << "\n";
      continue;
    }
    std::cout << algorithm.name << " (" << algorithm.title
              << "): " << espalier::broadcast_time(*tree, *model, Bytes{1024}) << "\n";
  }

  const auto some = espalier::build_tree(*model, "fnf", {.root = 2, .to = {1, 5, 7}});
  std::cout << "2 sends to";
  for (const espalier::Rank child : some->children[2]) std::cout << " " << child;
  std::cout << "; 7 has it after " << espalier::broadcast_times(*some, *model, Bytes{1024})[7]
            << "\n";

  const std::vector<espalier::Multicast> both{{0, {1, 2, 3, 4}}, {5, {1, 2, 6, 7}}};
  const auto trees = espalier::multicast_trees(*model, both, Bytes{1024});
  std::cout << "together " << trees->joint_time << ", one by one " << trees->separate_time << "\n";
  return trees->joint || trees->separate_time <= trees->joint_time ? 0 : 1;
}
