#pragma once

#include <ctime>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "reproduce/paper.hpp"

namespace espalier::cli {

struct ReportOptions {
  std::string folder;                 ///< where the report and its parts are written
  std::vector<std::string> measured;  ///< stored runs of a lab; none: those that come with the tool
  bool quick = false;
  bool json = false;  ///< the report as JSON on standard output too
};

/// The day in UTC: "2026-11-17".
[[nodiscard]] std::string day_of(std::time_t when);

/// Every paper's exhibits in one report. A part that the folder has already, made by this version
/// with these options, is taken from it: so a report that was interrupted goes on.
[[nodiscard]] Outcome reproduce_all(const ReportOptions& options,
                                    const reproduce::PaperOptions& sizes);

}  // namespace espalier::cli
