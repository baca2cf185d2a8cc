#pragma once

#include <optional>
#include <string>
#include <vector>

#include "group/experiment.hpp"
#include "report/table.hpp"

namespace espalier::cli {

/// A scheme with its measurement, or with the reason why it was left out.
struct GroupRow {
  group::Scheme scheme = group::Scheme::RankAndHash;
  std::optional<group::Measurement> measured;
  std::string why;
};

/// The results of `espalier group simulate`: for people, as espalier-group-1, and as bars.
[[nodiscard]] std::string group_text(const std::vector<GroupRow>& rows,
                                     const report::Canvas& canvas);
[[nodiscard]] std::string group_json(const std::vector<GroupRow>& rows,
                                     const group::Experiment& experiment, const std::string& model);
[[nodiscard]] std::string group_svg(const std::vector<GroupRow>& rows,
                                    const group::Experiment& experiment);

}  // namespace espalier::cli
