#pragma once

#include "reproduce/paper.hpp"

namespace espalier::reproduce {

/// N. Karonis, B. de Supinski, I. Foster, W. Gropp, E. Lusk, J. Bresnahan: "Exploiting hierarchy in
/// parallel computer networks to optimize collective operation performance", IPDPS 2000: the three
/// experiments of section 4, simulated.
[[nodiscard]] Paper karonis();

}  // namespace espalier::reproduce
