#pragma once

#include <optional>
#include <string>
#include <vector>

#include "group/experiment.hpp"
#include "report/table.hpp"

namespace espalier::cli {

/// A scheme and what came of it, or why it was left out.
struct GroupRow {
  group::Scheme scheme = group::Scheme::RankAndHash;
  std::optional<group::Measurement> measured;
  std::string why;
};

/// Of `espalier group simulate`: for people, as espalier-group-1, and the times as bars.
[[nodiscard]] std::string group_text(const std::vector<GroupRow>& rows,
                                     const report::Canvas& canvas);
[[nodiscard]] std::string group_json(const std::vector<GroupRow>& rows,
                                     const group::Experiment& experiment, const std::string& model);
[[nodiscard]] std::string group_svg(const std::vector<GroupRow>& rows,
                                    const group::Experiment& experiment);

}  // namespace espalier::cli
