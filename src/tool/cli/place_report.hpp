#pragma once

#include <string>
#include <utility>
#include <vector>

#include "place/portfolio.hpp"
#include "report/text.hpp"

namespace espalier::cli {

/// A placement to be shown: that of one candidate, beside the others.
struct ShownPlacement {
  const map::Problem& problem;
  const place::Answer& answer;
  std::size_t chosen = 0;
  std::string policy;
  std::string launch;  ///< command line that starts PROGRAM so placed
};

/// Hosts by cluster, in the order of the listing, with their processes.
using ByCluster =
    std::vector<std::pair<std::string, std::vector<std::pair<std::string, std::vector<Rank>>>>>;
[[nodiscard]] ByCluster by_cluster(const ShownPlacement& shown);

/// Clusters and hosts with their processes, a table of processes, the candidates, why.
[[nodiscard]] std::string place_text(const ShownPlacement& shown, const report::Canvas& canvas);
/// "espalier-placement-1" of docs/formats.md.
[[nodiscard]] std::string place_json(const ShownPlacement& shown);
/// Clusters as boxes, hosts in them, processes in these, and the channels between them. Of many
/// processes: hosts alone.
[[nodiscard]] std::string place_svg(const ShownPlacement& shown);

}  // namespace espalier::cli
