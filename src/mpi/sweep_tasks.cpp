#include "mpi/sweep_tasks.hpp"

#include <sched.h>

#include "base/contract.hpp"

namespace espalier::mpi {
namespace {

using discover::Experiment;
using discover::Measured;

enum Tag { kAsk = 31, kAnswer };
/// What an asker says.
enum class Word : int { Answer, Enough };

Time now() { return Time{static_cast<std::int64_t>(PMPI_Wtime() * 1e12)}; }

class Sweep {
 public:
  Sweep(const SweepTask& task, MPI_Comm comm)
      : task_(task), comm_(comm), results_(task.targets.size()), start_(task.targets.size()) {}

  std::vector<Measured> run() {
    requests_.assign(task_.targets.size() + 1, MPI_REQUEST_NULL);
    if (task_.askers > 0) listen();
    for (std::size_t i = 0; i < task_.targets.size(); ++i) ask(i);
    begin_.assign(task_.targets.size(), Time{-1});
    std::size_t open = task_.targets.size();
    std::int64_t askers = task_.askers;
    while (open > 0 || askers > 0) {
      int which = MPI_UNDEFINED, is_done = 0;
      MPI_Status status;
      PMPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &which, &is_done, &status);
      if (is_done == 0 || which == MPI_UNDEFINED) {
        sched_yield();
        continue;
      }
      const auto at = static_cast<std::size_t>(which);
      if (at == task_.targets.size()) {
        if (word_ == static_cast<int>(Word::Answer)) {
          PMPI_Send(nullptr, 0, MPI_CHAR, status.MPI_SOURCE, kAnswer, comm_);
        } else {
          --askers;
        }
        if (askers > 0) listen();
      } else if (!answered(at)) {
        --open;
      }
    }
    return std::move(results_);
  }

 private:
  void listen() { PMPI_Irecv(&word_, 1, MPI_INT, MPI_ANY_SOURCE, kAsk, comm_, &requests_.back()); }

  void say(std::size_t i, Word word) {
    const int said = static_cast<int>(word);
    PMPI_Send(&said, 1, MPI_INT, task_.targets[i].rank, kAsk, comm_);
  }

  void ask(std::size_t i) {
    PMPI_Irecv(nullptr, 0, MPI_CHAR, task_.targets[i].rank, kAnswer, comm_, &requests_[i]);
    start_[i] = now();
    say(i, Word::Answer);
  }

  /// @return whether it is asked again
  bool answered(std::size_t i) {
    const Time at = now();
    const SweepTask::Target& target = task_.targets[i];
    if (begin_[i] < Time{0}) {
      begin_[i] = at;  // connected
    } else {
      results_[i].samples.push_back(at - start_[i]);
    }
    const std::size_t count = results_[i].samples.size();
    if (count == 0 || (count < target.repeats && at - begin_[i] < target.patience)) {
      ask(i);
      return true;
    }
    say(i, Word::Enough);
    return false;
  }

  const SweepTask& task_;
  MPI_Comm comm_;
  std::vector<Measured> results_;
  std::vector<Time> start_;
  std::vector<Time> begin_;
  std::vector<MPI_Request> requests_;  // of the targets, and of those who ask
  int word_ = 0;
};

}  // namespace

std::vector<SweepTask> sweep_by_node(std::span<const Experiment> round_trips,
                                     std::span<const int> ranks) {
  std::vector<SweepTask> tasks(ranks.size());
  for (const Experiment& e : round_trips) {
    expects(e.kind == discover::Kind::RoundTrip && e.from != e.to && e.from < ranks.size() &&
                e.to < ranks.size(),
            "sweep_by_node: not a round trip between two nodes");
    tasks[e.from].targets.push_back({ranks[e.to], e.repeats, e.patience});
    ++tasks[e.to].askers;
  }
  return tasks;
}

std::vector<Measured> run_sweep(const SweepTask& task, MPI_Comm comm) {
  return Sweep(task, comm).run();
}

std::vector<std::int64_t> to_words(const SweepTask& task) {
  std::vector<std::int64_t> words{task.askers};
  for (const SweepTask::Target& target : task.targets) {
    words.insert(words.end(), {target.rank, target.repeats, target.patience.picoseconds});
  }
  return words;
}

SweepTask sweep_from(std::span<const std::int64_t> words) {
  expects(words.size() % 3 == 1, "sweep_from: not a sweep");
  SweepTask task;
  task.askers = words.front();
  for (words = words.subspan(1); !words.empty(); words = words.subspan(3)) {
    task.targets.push_back(
        {static_cast<int>(words[0]), static_cast<std::uint32_t>(words[1]), Time{words[2]}});
  }
  return task;
}

}  // namespace espalier::mpi
