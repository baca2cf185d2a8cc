#pragma once

#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "base/types.hpp"
#include "topology/machine.hpp"

namespace espalier::cli {

/// A rank below `size`. Errors have no `where`; the caller knows it.
Expected<Rank> parse_rank(std::string_view text, Rank size);
/// A rank, or a place as Machine::describe() has it: "Lyon.n1.0", or its first rank of "Lyon.n1".
Expected<Rank> rank_or_place(std::string_view text, const topology::Machine& machine);

/// "1,3,5-7" -> 1 3 5 6 7, in the order written. Refuses what is no rank of the machine, ranges
/// that run backwards and a rank that stands twice.
Expected<std::vector<Rank>> parse_rank_list(std::string_view text, Rank size);

/// How many ranks: "8,2,4-6" -> 2 4 5 6 8, rising. Refuses numbers below 2 and above `most`, ranges
/// that run backwards and a number that stands twice. Errors have no `where`; the caller knows it.
/// @pre most >= 2
Expected<std::vector<Rank>> parse_rank_numbers(std::string_view text, Rank most);

/// When each rank enters the call. "5ms@3": rank 3 is late by 5 ms; "5ms@3,200us@8-11": several;
/// "random:2ms:7": each rank by up to 2 ms, evenly spread, from seed 7. "": nobody is late, no
/// values. Refuses a rank that stands twice. Errors have no `where`; the caller knows it.
Expected<std::vector<Time>> parse_skew(std::string_view text, Rank ranks);

}  // namespace espalier::cli
