#include "mpi/mpi_prober.hpp"

#include <algorithm>

#include "mpi/probe_tasks.hpp"

namespace espalier::mpi {
namespace {

using discover::Measured;
using discover::Node;

constexpr int kTasks = 11, kEnd = 12, kResults = 13;  // tags

/// A message of unknown length from one rank, waited for asleep.
std::vector<std::int64_t> receive_words(MPI_Comm comm, int from, MPI_Status& status) {
  std::int64_t length = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Irecv(&length, 1, MPI_INT64_T, from, MPI_ANY_TAG, comm, &request);
  wait_asleep(request, &status);
  std::vector<std::int64_t> words(static_cast<std::size_t>(length));
  if (length == 0) return words;
  PMPI_Irecv(words.data(), static_cast<int>(length), MPI_INT64_T, status.MPI_SOURCE, status.MPI_TAG,
             comm, &request);
  wait_asleep(request);
  return words;
}

/// The words stay until all requests are done.
void send_words(const std::vector<std::int64_t>& words, const std::int64_t& length, int to, int tag,
                MPI_Comm comm, std::vector<MPI_Request>& requests) {
  requests.emplace_back();
  PMPI_Isend(&length, 1, MPI_INT64_T, to, tag, comm, &requests.back());
  if (words.empty()) return;
  requests.emplace_back();
  PMPI_Isend(words.data(), static_cast<int>(words.size()), MPI_INT64_T, to, tag, comm,
             &requests.back());
}

/// Who only answers has nothing to tell, and nobody waits for it.
bool reports(std::span<const ProbeTask> tasks) {
  return std::any_of(tasks.begin(), tasks.end(), [](const ProbeTask& t) { return t.initiates; });
}

/// Replaces numbers of nodes by the ranks that measure there.
void to_ranks(discover::Experiment& e, const std::vector<int>& ranks) {
  for (Node* node : {&e.from, &e.to}) *node = static_cast<Node>(ranks[*node]);
}

}  // namespace

MpiProber::MpiProber(MPI_Comm comm, std::vector<int> ranks, Progress progress)
    : comm_(comm), ranks_(std::move(ranks)), start_(PMPI_Wtime()), progress_(std::move(progress)) {}

MpiProber::~MpiProber() {
  const std::int64_t nothing = 0;
  std::vector<MPI_Request> requests;
  for (Node node = 1; node < size(); ++node) {
    send_words({}, nothing, ranks_[node], kEnd, comm_, requests);
  }
  PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

Time MpiProber::spent() const {
  return Time{static_cast<std::int64_t>((PMPI_Wtime() - start_) * 1e12)};
}

Expected<std::vector<std::vector<Measured>>> MpiProber::run(
    std::span<const discover::Round> rounds) {
  auto tasks = tasks_by_node(rounds, size());
  for (auto& of_node : tasks) {
    for (ProbeTask& task : of_node) to_ranks(task.experiment, ranks_);
  }
  std::vector<std::vector<std::int64_t>> words(size());
  std::vector<std::int64_t> lengths(size());
  std::vector<MPI_Request> requests;
  for (Node node = 1; node < size(); ++node) {
    if (tasks[node].empty()) continue;
    words[node] = to_words(tasks[node]);
    lengths[node] = static_cast<std::int64_t>(words[node].size());
    send_words(words[node], lengths[node], ranks_[node], kTasks, comm_, requests);
  }
  std::vector<std::vector<Measured>> by_node(size());
  by_node[0] = run_tasks(tasks[0], comm_);
  PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (Node node = 1; node < size(); ++node) {
    if (!reports(tasks[node])) continue;
    MPI_Status status;
    by_node[node] = measured_from(receive_words(comm_, ranks_[node], status));
  }
  std::vector<std::vector<Measured>> results;
  std::vector<std::size_t> next(size());
  for (const discover::Round& round : rounds) {
    results.emplace_back();
    for (const discover::Experiment& e : round) {
      const std::size_t at = next[e.from]++;
      if (at >= by_node[e.from].size() || by_node[e.from][at].samples.empty()) {
        return Error{"discovery", "a node did not tell what it measured", "please report this"};
      }
      results.back().push_back(std::move(by_node[e.from][at]));
      ++experiments_;
    }
  }
  if (progress_) progress_(experiments_, spent());
  return results;
}

void serve_prober(MPI_Comm comm) {
  while (true) {
    MPI_Status status;
    const std::vector<std::int64_t> words = receive_words(comm, 0, status);
    if (status.MPI_TAG == kEnd) return;
    const std::vector<ProbeTask> tasks = tasks_from(words);
    const std::vector<std::int64_t> results = to_words(run_tasks(tasks, comm));
    if (!reports(tasks)) continue;
    const auto length = static_cast<std::int64_t>(results.size());
    std::vector<MPI_Request> requests;
    send_words(results, length, 0, kResults, comm, requests);
    for (MPI_Request& request : requests) wait_asleep(request);
  }
}

}  // namespace espalier::mpi
