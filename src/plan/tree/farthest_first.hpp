#pragma once

#include "tree/irregular.hpp"

namespace espalier::tree {

/// Linear, with those sent to first whose messages need the longest from the moment the root is
/// done with them: t(root, i, m_i) less what keeps the root. Far sites come before near ones, so
/// that their latency passes while the others are served; ties by t, the longest first, then by
/// rank. The best order where the root is busy with one message at a time (Jackson's rule, in
/// scheduling: longest tail first). O(P log P).
[[nodiscard]] CommTree farthest_first(const IrregularRequest& request);

}  // namespace espalier::tree
