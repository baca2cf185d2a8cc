#include "tree/shapes.hpp"

#include "base/contract.hpp"

namespace espalier::tree {

// J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. Fagg, E. Gabriel, J. Dongarra: "Performance
// analysis of MPI collective operations", Cluster Computing 10(2), 2007, where it is called "flat
// tree" (elsewhere: linear, star).
CommTree flat(const Participants& who) {
  CommTree tree(who.machine_size, who.root);
  for (const Rank r : who.others) tree.append_child(who.root, r);
  return tree;
}

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

// J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. Fagg, E. Gabriel, J. Dongarra: "Performance
// analysis of MPI collective operations", Cluster Computing 10(2), 2007, where k = 2 is called
// "binary tree". Numbered breadth-first.
CommTree kary(const Participants& who, Rank k) {
  expects(k >= 1, "kary: k is 0");
  CommTree tree(who.machine_size, who.root);
  for (Rank p = 1; p < who.count(); ++p) tree.append_child(who.at((p - 1) / k), who.at(p));
  return tree;
}

// M. Wilkins, H. Wang, P. Liu, B. Pham, Y. Guo, R. Thakur, P. Dinda, N. Hardavellas: "Generalized
// collective algorithms for the exascale era", IEEE CLUSTER 2023, where it is called "k-nomial".
CommTree knomial(const Participants& who, Rank k) {
  expects(k >= 2, "knomial: k is below 2");
  const std::uint64_t count = who.count();
  std::uint64_t weight = 1;  // of the digit in which a child differs from its parent
  while (weight * k < count) weight *= k;

  CommTree tree(who.machine_size, who.root);
  for (; weight > 0; weight /= k) {
    for (std::uint64_t parent = 0; parent < count; parent += weight * k) {
      for (std::uint64_t child = parent + weight; child < parent + weight * k; child += weight) {
        if (child >= count) break;
        tree.append_child(who.at(static_cast<Rank>(parent)), who.at(static_cast<Rank>(child)));
      }
    }
  }
  return tree;
}

// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
// MPICH", International Journal of High Performance Computing Applications 19(1), 2005,
// section 4.3, "binomial tree algorithm".
CommTree binomial(const Participants& who) { return knomial(who, 2); }

}  // namespace espalier::tree
