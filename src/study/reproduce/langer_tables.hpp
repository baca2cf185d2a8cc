#pragma once

#include "reproduce/paper.hpp"

namespace espalier::reproduce {

/// Rank-and-Hash against MPI_Comm_split, over the number of colours.
[[nodiscard]] Exhibit langer_table1(const PaperOptions& options);
/// Space, time, messages and message size: exponents measured and stated.
[[nodiscard]] Exhibit langer_table2(const PaperOptions& options);
/// What the paper left open: many groups at once.
[[nodiscard]] Exhibit langer_many(const PaperOptions& options);
/// What the paper left open: groups under other traffic.
[[nodiscard]] Exhibit langer_traffic(const PaperOptions& options);

}  // namespace espalier::reproduce
