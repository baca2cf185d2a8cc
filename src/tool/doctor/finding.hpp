#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::doctor {

/// How much a finding matters: only problems keep programs from running along plans.
enum class Severity : std::uint8_t { Ok, Note, Warning, Problem };
/// "ok", "note", "warning" or "problem".
[[nodiscard]] std::string_view name_of(Severity level);

/// One thing that was looked at.
struct Finding {
  std::string area;  ///< "mpi", "program", "settings" ...: see docs/formats.md
  Severity level = Severity::Ok;
  std::string subject;  ///< what the finding is about: a file, a variable, an interface
  std::string what;
  std::string cure;  ///< what to do about it, in one line; empty if there is nothing to do

  friend bool operator==(const Finding&, const Finding&) = default;
};
using Findings = std::vector<Finding>;

[[nodiscard]] std::size_t count(std::span<const Finding> findings, Severity level);

void append(Findings& all, Findings more);

}  // namespace espalier::doctor
