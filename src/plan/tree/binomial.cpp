#include "tree/binomial.hpp"

#include "tree/knomial.hpp"

namespace espalier::tree {

// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
// MPICH", International Journal of High Performance Computing Applications 19(1), 2005,
// section 4.3, "binomial tree algorithm".
CommTree binomial(const Participants& who) { return knomial(who, 2); }

}  // namespace espalier::tree
