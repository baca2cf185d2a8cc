#include "tree/kary.hpp"

#include "base/contract.hpp"

namespace espalier::tree {

// J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. Fagg, E. Gabriel, J. Dongarra: "Performance
// analysis of MPI collective operations", Cluster Computing 10(2), 2007, where k = 2 is called
// "binary tree". Numbered breadth-first.
CommTree kary(const Participants& who, Rank k) {
  expects(k >= 1, "kary: k is 0");
  CommTree tree(who.machine_size, who.root);
  for (Rank p = 1; p < who.count(); ++p) tree.append_child(who.at((p - 1) / k), who.at(p));
  return tree;
}

}  // namespace espalier::tree
