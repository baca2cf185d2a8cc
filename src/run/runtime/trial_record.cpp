#include "runtime/trial_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/explain.hpp"

namespace espalier::runtime {
namespace {

std::string undecided_text(const TrialRecord& record) {
  const Candidate& preferred = record.candidates.front();
  const std::string& first = preferred.name;
  switch (record.before_decision) {
    case Trial::BeforeDecision::TakingTurns:
      return "not ended, too few calls: they took turns";
    case Trial::BeforeDecision::WaitingForTime:
      return fmt::format("not begun, too short calls: {} until there is time to try others", first);
    case Trial::BeforeDecision::WaitingToPay:
      return fmt::format(
          "not begun, others are likely to be slower: {} until the program has run long enough to "
          "try them",
          first);
    case Trial::BeforeDecision::ByPrediction:
      break;
  }
  // Where all ranks are equally near, no prediction is trusted.
  const bool is_predicted = preferred.which || preferred.predicted >= 0;
  if (!is_predicted) return fmt::format("not ended, too few calls: {} until it has decided", first);
  return fmt::format("not ended, too few calls: {} by prediction alone", first);
}

/// What distinguishes the class from others of the same operation and size.
std::string kind_of(const CallClass& calls) {
  std::string text;
  if (has_root(calls.operation)) text += fmt::format(", root {}", calls.root);
  if (!calls.commutative) text += ", in order";
  if (calls.unequal) text += ", unequal blocks";
  if (calls.gaps) text += ", types with gaps";
  return text;
}

}  // namespace

std::string text_of(const CallClass& calls) {
  return fmt::format("{}, {}{}", schedule::name_of(calls.operation),
                     calls.irregular && !schedule::is_neighbourhood(calls.operation)
                         ? "blocks"
                         : size_class_text(calls.size_class),
                     kind_of(calls));
}

std::string trials_text(const std::vector<TrialRecord>& records) {
  std::string text;
  bool is_any_timed = false;
  for (const TrialRecord& record : records) {
    text += fmt::format(
        "\n  trial of {}, on {}: {}{}\n", text_of(record.calls), record.communicator,
        record.kept ? fmt::format("kept {} ({})", record.candidates[*record.kept].name, record.why)
                    : undecided_text(record),
        record.was_replanned ? "; then links changed, and plans were made anew" : "");
    std::size_t widest = 40;
    for (const Candidate& candidate : record.candidates)
      widest = std::max(widest, candidate.name.size());
    for (std::size_t w = 0; w < record.candidates.size(); ++w) {
      is_any_timed = is_any_timed || std::isfinite(record.times[w]);
      const std::string took = std::isfinite(record.times[w])
                                   ? fmt::format("took {:>8},", time_text(record.times[w]))
                                   : "not timed,";
      text += fmt::format("    {:<{}} {:<14} predicted {:>8}\n", record.candidates[w].name, widest,
                          took, time_text(record.candidates[w].predicted));
    }
  }
  if (is_any_timed) {
    text +=
        "  took: a call of the slowest rank, in its best block of calls, with waiting for late "
        "ranks\n";
  }
  return text;
}

}  // namespace espalier::runtime
