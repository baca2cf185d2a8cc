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

using Key = std::pair<Event, std::string>;
using Results = std::map<Key, Cell>;

/// FNV-1a: to tell apart, not to keep secret.
std::string digest(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return fmt::format("{:016x}", hash);
}

/// Who plays for a contender: SMPI has one scan and one exscan, whoever is to choose, so that the
/// first selector's run is that of all of them.
const Contender& player_for(const Contender& contender, schedule::Operation operation,
                            const LeagueTask& task) {
  using schedule::Operation;
  if (contender.kind != ContenderKind::Selector) return contender;
  if (operation != Operation::Scan && operation != Operation::Exscan) return contender;
  return *std::find_if(task.contenders.begin(), task.contenders.end(), [](const Contender& other) {
    return other.kind == ContenderKind::Selector;
  });
}

/// What is still to be played.
std::vector<Job> jobs_of(const LeagueTask& task, const Results& known) {
  std::vector<Job> jobs;
  for (std::size_t g = 0; g < task.placed_machines.size(); ++g) {
    const std::vector<Event> events = events_of(task, task.placed_machines[g]);
    for (std::size_t t = 0; t < task.contenders.size(); ++t) {
      for (const Event& event : events) {
        if (!task.contenders[t].plays(event.operation)) continue;
        if (&player_for(task.contenders[t], event.operation, task) != &task.contenders[t]) continue;
        if (known.count({event, task.contenders[t].name}) > 0) continue;
        if (jobs.empty() || jobs.back().placed_machine != g || jobs.back().contender != t ||
            jobs.back().operation != event.operation) {
          jobs.push_back({g, t, event.operation, {}});
        }
        jobs.back().sizes.push_back(event.bytes);
      }
    }
  }
  return jobs;
}

/// Jobs in turn to workers, what they find to whoever keeps it.
class Match {
 public:
  Match(const LeagueTask& task, const Rules& rules, std::vector<Job> jobs, Results& results)
      : task_(task), rules_(rules), jobs_(std::move(jobs)), results_(results) {}

  std::optional<Error> run() {
    begin_ = std::chrono::steady_clock::now();
    std::vector<std::thread> workers;
    for (unsigned w = 0; w < std::max(1U, rules_.at_once); ++w) {
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
        if (auto bad = play_once(job)) {
          const std::lock_guard lock(mutex_);
          error_ = std::move(bad);
          next_ = jobs_.size();
          return;
        }
      }
      report_done();
    }
  }

  /// Takes from the job what has been played: all, or up to the first size that failed.
  std::optional<Error> play_once(Job& job) {
    const PlacedMachine& placed_machine = task_.placed_machines[job.placed_machine];
    const Contender& contender = task_.contenders[job.contender];
    const auto began = std::chrono::steady_clock::now();
    const auto finished = launch::run_and_read(
        command_of(job, contender, placed_machine, rules_.field, folder_of(job.placed_machine)));
    if (!finished) return finished.error();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
    const Ending ending = ending_of(finished->exit_code, passed.count(), rules_.field);
    const bool too_long = ending == Ending::TooLong;
    std::vector<Cell> cells = cells_of(job, contender, placed_machine, finished->output, too_long);
    const auto bad = std::find_if(cells.begin(), cells.end(), [](const Cell& cell) {
      return cell.state == State::Failed || cell.state == State::TooLong;
    });
    // Longer messages take longer still to simulate.
    if (bad != cells.end() && !too_long) cells.erase(bad + 1, cells.end());
    const std::lock_guard lock(mutex_);
    for (Cell& cell : cells) {
      const bool is_cut_off = cell.state == State::Failed && ending != Ending::ByItself;
      if (is_cut_off && ending == Ending::Interrupted) {
        return Error{"bench", "interrupted", "--resume FILE goes on from what was kept"};
      }
      cell.stamp = stamp_of(placed_machine, contender, rules_);
      if (rules_.keep && !is_cut_off) rules_.keep(cell);
      results_.insert_or_assign({cell.event, cell.contender}, cell);
    }
    job.sizes.erase(job.sizes.begin(), job.sizes.begin() + static_cast<long>(cells.size()));
    return std::nullopt;
  }

  void report_done() {
    const std::lock_guard lock(mutex_);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    if (rules_.progress) rules_.progress({++done_, jobs_.size(), passed.count()});
  }

  [[nodiscard]] std::filesystem::path folder_of(std::size_t placed_machine) const {
    return rules_.folder / std::to_string(placed_machine);
  }

  const LeagueTask& task_;
  const Rules& rules_;
  std::vector<Job> jobs_;
  Results& results_;
  std::mutex mutex_;
  std::atomic<std::size_t> next_ = 0;
  std::size_t done_ = 0;
  std::optional<Error> error_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace

std::vector<Event> events_of(const LeagueTask& task, const PlacedMachine& placed_machine) {
  std::vector<Event> events;
  for (const schedule::Operation operation : task.operations) {
    const bool is_barrier = operation == schedule::Operation::Barrier;
    for (const std::uint64_t size : is_barrier ? std::vector<std::uint64_t>{0} : task.sizes) {
      Event event{placed_machine.machine, placed_machine.placement, operation, size};
      if (bytes_of_all_ranks(event, placed_machine.placed.size()) <= task.memory) {
        events.push_back(std::move(event));
      }
    }
  }
  return events;
}

std::string stamp_of(const PlacedMachine& placed_machine, const Contender& contender,
                     const Rules& rules) {
  std::string all =
      fmt::format("1 {} {}", rules.field.roots, topology::write_json(placed_machine.placed));
  if (contender.kind == ContenderKind::Ours || contender.kind == ContenderKind::Plan)
    all += rules.library;
  return digest(all);
}

Expected<std::vector<Cell>> run_league(const LeagueTask& task, const Rules& rules,
                                       std::span<const Cell> known) {
  std::map<std::pair<std::string, std::string>, const PlacedMachine*> placed_machines;
  for (const PlacedMachine& placed_machine : task.placed_machines) {
    placed_machines[{placed_machine.machine, placed_machine.placement}] = &placed_machine;
  }
  std::map<std::pair<const PlacedMachine*, std::string>, std::string> stamps;
  for (const PlacedMachine& placed_machine : task.placed_machines) {
    for (const Contender& contender : task.contenders) {
      stamps[{&placed_machine, contender.name}] = stamp_of(placed_machine, contender, rules);
    }
  }
  Results results;
  for (const Cell& cell : known) {
    const auto placed_machine = placed_machines.find({cell.event.machine, cell.event.placement});
    if (placed_machine == placed_machines.end()) continue;
    const auto stamp = stamps.find({placed_machine->second, cell.contender});
    if (stamp == stamps.end() || stamp->second != cell.stamp) continue;
    results.insert_or_assign({cell.event, cell.contender}, cell);
  }
  for (std::size_t g = 0; g < task.placed_machines.size(); ++g) {
    const auto written =
        write_machine_files(task.placed_machines[g], rules.folder / std::to_string(g));
    if (!written) return written.error();
  }
  if (auto bad = Match(task, rules, jobs_of(task, results), results).run()) return *bad;
  std::vector<Cell> all;
  for (const PlacedMachine& placed_machine : task.placed_machines) {
    for (const Event& event : events_of(task, placed_machine)) {
      for (const Contender& contender : task.contenders) {
        if (!contender.plays(event.operation)) continue;
        const auto it = results.find({event, player_for(contender, event.operation, task).name});
        if (it == results.end()) continue;
        all.push_back(it->second);
        all.back().contender = contender.name;
      }
    }
  }
  return all;
}

}  // namespace espalier::league
