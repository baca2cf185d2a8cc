#include "doctor/finding.hpp"

#include <algorithm>

namespace espalier::doctor {

std::string_view name_of(Severity level) {
  switch (level) {
    case Severity::Ok:
      return "ok";
    case Severity::Note:
      return "note";
    case Severity::Warning:
      return "warning";
    case Severity::Problem:
      return "problem";
  }
  return "?";
}

std::size_t count(std::span<const Finding> findings, Severity level) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [level](const Finding& finding) { return finding.level == level; }));
}

void append(Findings& all, Findings more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace espalier::doctor
