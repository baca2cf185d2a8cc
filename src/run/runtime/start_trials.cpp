#include "runtime/start_trials.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/explain.hpp"
#include "runtime/trial_record.hpp"

namespace espalier::runtime {

StartTrials::Next StartTrials::next(const CallClass& calls, std::uint64_t bytes, const Lead& lead) {
  std::shared_ptr<StartTrial>& trial = trials_[calls];
  if (trial == nullptr || trial->which() != lead.which) {
    if (trial != nullptr && trial->phase() == StartTrial::Phase::Due) std::erase(due_, trial);
    trial = std::make_shared<StartTrial>(lead);
  }
  const bool was_due = trial->wants_call();
  const StartTrial::Phase phase = trial->phase();
  const StartTrial::Next next = trial->next(bytes);
  if (!was_due && trial->wants_call()) due_.push_back(trial);
  return {next.is_planned, next.is_timed ? trial : nullptr, next.agrees ? trial : nullptr, phase};
}

void StartTrials::forget() {
  for (const auto& trial : due_) trial->leave();
  due_.clear();
  trials_.clear();
}

void StartTrials::before_blocking(const std::function<std::unique_ptr<Agreement>()>& make) {
  for (const auto& trial : due_) trial->step(make);
  std::erase_if(due_, [](const auto& trial) { return !trial->wants_call(); });
}

std::vector<StartRecord> StartTrials::records(const std::string& communicator) const {
  std::vector<StartRecord> all;
  for (const auto& [calls, trial] : trials_) {
    const bool is_kept = trial->phase() == StartTrial::Phase::Kept;
    all.push_back({communicator, calls, trial->name(), trial->phase(),
                   is_kept && trial->keeps_plan(), std::string(trial->why()), trial->native_times(),
                   trial->plan_times()});
  }
  return all;
}

namespace {

std::string fate(const StartRecord& record) {
  switch (record.phase) {
    case StartTrial::Phase::Turns:
      return "not ended, too few calls: native and planned calls took turns";
    case StartTrial::Phase::Due:
    case StartTrial::Phase::Agreeing:
      return "not ended, the ranks agree in a later call that blocks: native";
    case StartTrial::Phase::Kept:
      break;
  }
  return fmt::format("kept {} ({})", record.keeps_plan ? record.plan : "native", record.why);
}

std::string line_of(const std::string& name, std::size_t widest, const StartTimes& times) {
  return fmt::format("    {:<{}} start to completion {:>8}, inside MPI {:>8}\n", name, widest,
                     time_text(times.span), time_text(times.inside));
}

}  // namespace

std::string starts_text(const std::vector<StartRecord>& records) {
  std::string text;
  for (const StartRecord& record : records) {
    text += fmt::format("\n  trial of non-blocking {}, on {}: {}\n", text_of(record.calls),
                        record.communicator, fate(record));
    if (record.native.span <= 0) continue;
    const std::size_t widest = std::max<std::size_t>(40, record.plan.size());
    text += line_of("native", widest, record.native) + line_of(record.plan, widest, record.planned);
  }
  return text;
}

}  // namespace espalier::runtime
