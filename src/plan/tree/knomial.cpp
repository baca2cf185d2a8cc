#include "tree/knomial.hpp"

#include "base/contract.hpp"

namespace espalier::tree {

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

}  // namespace espalier::tree
