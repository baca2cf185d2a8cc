#include "doctor/finding.hpp"

#include <algorithm>

namespace espalier::doctor {

std::string_view name_of(Level level) {
  switch (level) {
    case Level::Ok:
      return "ok";
    case Level::Note:
      return "note";
    case Level::Warning:
      return "warning";
    case Level::Problem:
      return "problem";
  }
  return "?";
}

std::size_t count(std::span<const Finding> findings, Level level) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [level](const Finding& finding) { return finding.level == level; }));
}

void append(Findings& all, Findings more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace espalier::doctor
