#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reproduce/exhibit.hpp"

namespace espalier::reproduce {

struct BanikazemiOptions {
  std::uint64_t seed = 1;
  unsigned cases = 10'000;         ///< of each row of Table 2, as in the paper
  unsigned large_cases = 10'000;   ///< of its continuation beyond 9 nodes
  unsigned testbed_cases = 2'000;  ///< placements of fast nodes, figures 4 to 6
  unsigned multiple_cases = 20;    ///< of each point of figure 10
};

/// The parts of the reproduction, in the order of the paper: "figure1", "table2", ...
struct BanikazemiPart {
  std::string_view key;
  std::string_view title;
  Exhibit (*run)(const BanikazemiOptions&);
};
[[nodiscard]] const std::vector<BanikazemiPart>& banikazemi_parts();

}  // namespace espalier::reproduce
