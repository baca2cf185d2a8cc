#pragma once

#include <map>

#include "runtime/start_trial.hpp"

namespace espalier::runtime {

/// The trial of a class as it stands, for ESPALIER_EXPLAIN.
struct StartRecord {
  std::string communicator;
  CallClass calls;
  std::string plan;
  StartTrial::Phase phase{};
  bool keeps_plan = false;
  std::string why;
  StartTimes native, planned;
};
[[nodiscard]] std::string starts_text(const std::vector<StartRecord>& records);

/// The trials of calls that do not block, for all classes of one communicator.
class StartTrials {
 public:
  StartTrials() = default;
  StartTrials(const StartTrials&) = delete;
  StartTrials& operator=(const StartTrials&) = delete;

  /// How the next start runs.
  struct Next {
    bool is_planned = false;
    /// Wants the times of the call; nullptr: nobody does. It may outlive this.
    std::shared_ptr<StartTrial> timed = {};
    /// StartTrial::agree() is to be called; nullptr: it is not.
    std::shared_ptr<StartTrial> agrees = {};
    StartTrial::Phase phase{};  ///< the phase of this start
  };
  /// Counts a start. If another plan leads than before, the trial of the class begins anew; an
  /// agreement that is under way is ended by before_blocking() nevertheless.
  /// @param bytes of the call, as all ranks know them
  [[nodiscard]] Next next(const CallClass& calls, std::uint64_t bytes, const Lead& lead);
  /// Whether before_blocking() has something to do.
  [[nodiscard]] bool wants_call() const { return !due_.empty(); }
  /// Called before a call that blocks. May be collective.
  void before_blocking(const std::function<std::unique_ptr<Agreement>()>& make);
  /// Forgets all trials. Those whose calls are under way are told times that nobody asks for.
  /// May wait, as ending an agreement does. @pre each StartTrial::agree() that was due was called
  void forget();
  /// @param communicator its name
  [[nodiscard]] std::vector<StartRecord> records(const std::string& communicator) const;

 private:
  std::map<CallClass, std::shared_ptr<StartTrial>> trials_;
  std::vector<std::shared_ptr<StartTrial>> due_;  // in the order in which they came to want a call
};

}  // namespace espalier::runtime
