#include "league/run_league.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "launch/run_and_read.hpp"
#include "topology/writers.hpp"

namespace espalier::league {
namespace {

using Key = std::pair<LeagueEvent, std::string>;
using ResultMap = std::map<Key, Result>;

/// FNV-1a: tells texts apart, and is no protection against forgery.
std::string digest(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return fmt::format("{:016x}", hash);
}

/// The contender that is run to learn a contender's time. SMPI has a single scan and a single
/// exscan, whatever the selector, so the first selector is run for all of them.
const Contender& measured_for(const Contender& contender, schedule::Operation operation,
                              const LeagueTask& task) {
  using schedule::Operation;
  if (contender.kind != ContenderKind::Selector) return contender;
  if (operation != Operation::Scan && operation != Operation::Exscan) return contender;
  return *std::find_if(task.contenders.begin(), task.contenders.end(), [](const Contender& other) {
    return other.kind == ContenderKind::Selector;
  });
}

/// Jobs for all events and contenders without a known result.
std::vector<Job> jobs_of(const LeagueTask& task, const ResultMap& known) {
  std::vector<Job> jobs;
  for (std::size_t m = 0; m < task.machines.size(); ++m) {
    const std::vector<LeagueEvent> events = events_of(task, task.machines[m]);
    for (std::size_t c = 0; c < task.contenders.size(); ++c) {
      for (const LeagueEvent& event : events) {
        if (!task.contenders[c].takes_part_in(event.operation)) continue;
        if (&measured_for(task.contenders[c], event.operation, task) != &task.contenders[c])
          continue;
        if (known.count({event, task.contenders[c].name}) > 0) continue;
        if (jobs.empty() || jobs.back().machine != m || jobs.back().contender != c ||
            jobs.back().operation != event.operation) {
          jobs.push_back({m, c, event.operation, {}});
        }
        jobs.back().sizes.push_back(event.bytes);
      }
    }
  }
  return jobs;
}

/// Hands jobs to workers in turn, and their results to LeagueSettings::keep.
class LeagueRun {
 public:
  LeagueRun(const LeagueTask& task, const LeagueSettings& settings, std::vector<Job> jobs,
            ResultMap& known)
      : task_(task), settings_(settings), jobs_(std::move(jobs)), known_(known) {}

  std::optional<Error> run() {
    begin_ = std::chrono::steady_clock::now();
    std::vector<std::thread> workers;
    for (unsigned w = 0; w < std::max(1U, settings_.at_once); ++w) {
      workers.emplace_back([this] { work(); });
    }
    for (std::thread& worker : workers) worker.join();
    return error_;
  }

 private:
  void work() {
    for (std::size_t j = next_++; j < jobs_.size(); j = next_++) {
      Job job = jobs_[j];
      while (!job.sizes.empty()) {
        if (auto bad = run_once(job)) {
          const std::lock_guard lock(mutex_);
          error_ = std::move(bad);
          next_ = jobs_.size();
          return;
        }
      }
      report_done();
    }
  }

  /// Runs the job once, and takes the sizes that have a result out of it: all of them, or those up
  /// to the first that failed.
  std::optional<Error> run_once(Job& job) {
    const PlacedMachine& placed = task_.machines[job.machine];
    const Contender& contender = task_.contenders[job.contender];
    const auto began = std::chrono::steady_clock::now();
    const auto finished = launch::run_and_read(
        command_of(job, contender, placed, settings_.run, folder_of(job.machine)));
    if (!finished) return finished.error();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
    // Of timeout, prlimit, setpriv or sh: the run did not begin, and says nothing of a contender.
    if (finished->exit_code >= 125 && finished->exit_code <= 127) {
      return Error{
          "bench", fmt::format("a run could not be started (exit code {})", finished->exit_code),
          "smpirun, setpriv, prlimit and timeout have to be there, and \"ulimit -Ht\" has to "
          "allow more than --seconds"};
    }
    const RunEnding ending = ending_of(finished->exit_code, passed.count(), settings_.run);
    const bool too_long = ending == RunEnding::TooLong;
    std::vector<Result> results = results_of(job, contender, placed, finished->output, too_long);
    const auto bad = std::find_if(results.begin(), results.end(), [](const Result& result) {
      return result.state == ResultState::Failed || result.state == ResultState::TooLong;
    });
    // If a size takes too long, so do all longer ones; else they are run again.
    if (bad != results.end() && !too_long) results.erase(bad + 1, results.end());
    const std::lock_guard lock(mutex_);
    for (Result& result : results) {
      const bool is_cut_off = result.state == ResultState::Failed && ending != RunEnding::ByItself;
      if (is_cut_off && ending == RunEnding::Interrupted) {
        return Error{"bench", "interrupted", "--resume FILE goes on from what was kept"};
      }
      result.stamp = stamp_of(placed, contender, settings_);
      if (settings_.keep && !is_cut_off) settings_.keep(result);
      known_.insert_or_assign({result.event, result.contender}, result);
    }
    job.sizes.erase(job.sizes.begin(), job.sizes.begin() + static_cast<long>(results.size()));
    return std::nullopt;
  }

  void report_done() {
    const std::lock_guard lock(mutex_);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    if (settings_.progress) settings_.progress({++done_, jobs_.size(), passed.count()});
  }

  [[nodiscard]] std::filesystem::path folder_of(std::size_t machine) const {
    return settings_.folder / std::to_string(machine);
  }

  const LeagueTask& task_;
  const LeagueSettings& settings_;
  std::vector<Job> jobs_;
  ResultMap& known_;
  std::mutex mutex_;
  std::atomic<std::size_t> next_ = 0;
  std::size_t done_ = 0;
  std::optional<Error> error_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace

std::vector<LeagueEvent> events_of(const LeagueTask& task, const PlacedMachine& placed) {
  std::vector<LeagueEvent> events;
  for (const schedule::Operation operation : task.operations) {
    const bool is_barrier = operation == schedule::Operation::Barrier;
    for (const std::uint64_t size : is_barrier ? std::vector<std::uint64_t>{0} : task.sizes) {
      LeagueEvent event{placed.name, placed.placement, operation, size};
      if (bytes_of_all_ranks(event, placed.machine.size()) <= task.memory) {
        events.push_back(std::move(event));
      }
    }
  }
  return events;
}

std::string stamp_of(const PlacedMachine& placed, const Contender& contender,
                     const LeagueSettings& settings) {
  std::string all =
      fmt::format("1 {} {}", settings.run.roots, topology::write_json(placed.machine));
  if (contender.kind == ContenderKind::Ours || contender.kind == ContenderKind::Plan)
    all += settings.library;
  return digest(all);
}

Expected<std::vector<Result>> run_league(const LeagueTask& task, const LeagueSettings& settings,
                                         std::span<const Result> known) {
  std::map<std::pair<std::string, std::string>, const PlacedMachine*> machines;
  for (const PlacedMachine& placed : task.machines) {
    machines[{placed.name, placed.placement}] = &placed;
  }
  std::map<std::pair<const PlacedMachine*, std::string>, std::string> stamps;
  for (const PlacedMachine& placed : task.machines) {
    for (const Contender& contender : task.contenders) {
      stamps[{&placed, contender.name}] = stamp_of(placed, contender, settings);
    }
  }
  ResultMap found;
  for (const Result& result : known) {
    const auto placed = machines.find({result.event.machine, result.event.placement});
    if (placed == machines.end()) continue;
    const auto stamp = stamps.find({placed->second, result.contender});
    if (stamp == stamps.end() || stamp->second != result.stamp) continue;
    found.insert_or_assign({result.event, result.contender}, result);
  }
  for (std::size_t m = 0; m < task.machines.size(); ++m) {
    const auto written = write_machine_files(task.machines[m], settings.folder / std::to_string(m));
    if (!written) return written.error();
  }
  if (auto bad = LeagueRun(task, settings, jobs_of(task, found), found).run()) return *bad;
  std::vector<Result> all;
  for (const PlacedMachine& placed : task.machines) {
    for (const LeagueEvent& event : events_of(task, placed)) {
      for (const Contender& contender : task.contenders) {
        if (!contender.takes_part_in(event.operation)) continue;
        const auto it = found.find({event, measured_for(contender, event.operation, task).name});
        if (it == found.end()) continue;
        all.push_back(it->second);
        all.back().contender = contender.name;
      }
    }
  }
  return all;
}

}  // namespace espalier::league
