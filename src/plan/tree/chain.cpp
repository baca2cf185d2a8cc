#include "tree/chain.hpp"

namespace espalier::tree {

// J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. Fagg, E. Gabriel, J. Dongarra: "Performance
// analysis of MPI collective operations", Cluster Computing 10(2), 2007, where it is called "chain"
// and, with segments, "pipeline".
CommTree chain(const Participants& who) {
  CommTree tree(who.machine_size, who.root);
  Rank last = who.root;
  for (const Rank r : who.others) {
    tree.append_child(last, r);
    last = r;
  }
  return tree;
}

}  // namespace espalier::tree
