#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "view/answers.hpp"

namespace espalier::view {

/// The points that a file without a server holds.
struct GridOptions {
  std::vector<schedule::Operation> operations;  ///< empty: all
  std::vector<Bytes> sizes;                     ///< empty: kUsualSizes
  std::uint32_t plans = 6;                      ///< plans of each call, of different kinds
  std::size_t most_bytes = 16U << 20U;          ///< no more points once the file is so long
};

/// Calls of these sizes, if no others are asked for.
inline constexpr std::uint64_t kUsualSizes[] = {64, 1024, 16384, 131072, 1048576};
/// Factors of the outermost latency, in thousandths.
inline constexpr std::uint32_t kLatencyFactors[] = {100, 1000, 10000};
/// A plan of more messages has no point in a file, unless its call is shown first.
inline constexpr std::uint64_t kMostInFile = 4096;
/// Messages that are simulated for times of plans that are not shown, at each point of a file. A
/// page has a hundred points or more, so it is less than what a server does for one answer.
inline constexpr std::uint64_t kTableInFile = std::uint64_t{1} << 14U;

/// The overview, the coordinates of all points, and a document for each of them, as JSON: what the
/// page would ask its server, at other latencies what it asks while a control moves. Points whose
/// plan has too many messages are left out. The call that is shown first is always there: its plan
/// may have up to kMostDrawn messages, and the chosen one has a point without a timeline if it has
/// more.
///
/// The key of a point is "OPERATION|BYTES|FACTOR|PLAN"; PLAN is empty for the chosen one. Other
/// plans are there for a factor of 1000 only.
[[nodiscard]] std::string grid_document(Answers& answers, const GridOptions& options);

}  // namespace espalier::view
