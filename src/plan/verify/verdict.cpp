#include "verify/verdict.hpp"

#include <fmt/format.h>

#include <array>
#include <ostream>

namespace espalier::verify {
namespace {

constexpr std::array<std::string_view, kFindingKindCount> kNames{
    "malformed",  "out-of-bounds",   "writes-input", "self-message",   "overlap",
    "no-partner", "repeated-tag",    "length",       "deadlock",       "race",
    "undefined",  "wrong-reduction", "wrong-result", "different-bits", "early-exit"};

constexpr std::array<std::string_view, kStageCount> kStageNames{
    "structure", "matching",   "progress",  "races",
    "data",      "rank order", "same bits", "nobody leaves early"};

}  // namespace

std::string_view name_of(FindingKind kind) { return kNames[static_cast<std::size_t>(kind)]; }
std::string_view name_of(Stage stage) { return kStageNames[static_cast<std::size_t>(stage)]; }

std::string to_string(const Finding& finding) {
  std::string where = finding.rank == kNoRank ? "call" : fmt::format("rank {}", finding.rank);
  if (finding.op != kNoOp) where += fmt::format(", op {}", finding.op);
  return fmt::format("{}: {}: {}; expected {}", where, name_of(finding.kind), finding.found,
                     finding.expected);
}

std::ostream& operator<<(std::ostream& out, const Finding& finding) {
  return out << to_string(finding);
}

std::string to_string(const Verdict& verdict) {
  if (verdict.ok()) {
    return fmt::format("ok: {} messages, {} units, {} bytes\n", verdict.statistics.messages,
                       verdict.statistics.units, verdict.statistics.bytes.value);
  }
  std::string text;
  for (const Finding& finding : verdict.findings) text += to_string(finding) + "\n";
  if (verdict.left_off > 0) text += fmt::format("and {} more findings\n", verdict.left_off);
  return text;
}

std::ostream& operator<<(std::ostream& out, const Verdict& verdict) {
  return out << to_string(verdict);
}

void Findings::hand_over(Verdict& verdict) && {
  verdict.findings = std::move(kept_);
  verdict.left_off = left_off_;
  verdict.stages = std::move(stages_);
}

}  // namespace espalier::verify
