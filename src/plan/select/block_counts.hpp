#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "topology/machine.hpp"

namespace espalier::select {

/// The lengths of a v form as a user gives them: the name of a distribution, or a file.
///
///   equal            all of the mean
///   cpu-speed        by the processes' speeds (the machine's `speed`)
///   uniform[:SEED]   anything from 1 to twice the mean
///   giant[:SEED]     nine tenths of all bytes to one rank
///   powerlaw[:SEED]  the k-th longest 1/k of the longest
///   zeros[:SEED]     nothing to three ranks of four
///   FILE             a number of bytes for each rank, between blanks; # begins a comment
///
/// The sum is about mean * ranks. The same text, machine and mean give the same lengths everywhere.
Expected<std::vector<std::uint64_t>> counts_from(const std::string& text,
                                                 const topology::Machine& machine, Bytes mean);

/// Of an alltoallv, a length for each pair: [from * P + to]. A file has them row by row; of a
/// distribution each row is one of its own, with the next seed, and `mean` is that of a block.
Expected<std::vector<std::uint64_t>> pair_counts_from(const std::string& text,
                                                      const topology::Machine& machine, Bytes mean);

/// The names above, for help texts.
[[nodiscard]] const std::vector<std::string>& count_distributions();

}  // namespace espalier::select
