#include "mpi/mpi_prober.hpp"

#include <algorithm>
#include <array>
#include <deque>

#include "mpi/gather_tree.hpp"
#include "mpi/probe_tasks.hpp"
#include "mpi/seconds_now.hpp"

namespace espalier::mpi {
namespace {

using discover::Measured;
using discover::Node;

constexpr int kDown = 11, kUp = 12;           // tags
constexpr std::int64_t kTasks = 1, kEnd = 2;  // kinds of messages that go down
constexpr std::size_t kWordsOfHead = 2;       // kind and length of what follows
using Words = std::vector<std::int64_t>;

/// A part of the nodes, with what is told to each of them or what each of them tells.
struct Bundle {
  std::vector<int> ranks;    ///< the rank that measures on each node
  std::vector<Words> words;  ///< words of each node

  [[nodiscard]] bool is_empty(const TreeStretch& part) const {
    return std::all_of(begin(part), begin(part) + static_cast<std::ptrdiff_t>(part.size()),
                       [](const Words& one) { return one.empty(); });
  }
  /// Whether some node of the part has to tell what it measured.
  [[nodiscard]] bool reports(const TreeStretch& part) const {
    return std::any_of(begin(part), begin(part) + static_cast<std::ptrdiff_t>(part.size()),
                       [](const Words& one) { return has_to_initiate(one); });
  }

 private:
  [[nodiscard]] std::vector<Words>::const_iterator begin(const TreeStretch& part) const {
    return words.begin() + static_cast<std::ptrdiff_t>(part.begin);
  }
};

/// For each node of a part: its rank, the number of its words, its words.
Words packed(const Bundle& bundle, const TreeStretch& part) {
  Words all;
  for (std::size_t i = part.begin; i < part.end; ++i) {
    all.push_back(bundle.ranks[i]);
    all.push_back(static_cast<std::int64_t>(bundle.words[i].size()));
    all.insert(all.end(), bundle.words[i].begin(), bundle.words[i].end());
  }
  return all;
}

Bundle unpacked(std::span<const std::int64_t> all) {
  Bundle bundle;
  while (all.size() >= 2) {
    const auto length = static_cast<std::size_t>(all[1]);
    bundle.ranks.push_back(static_cast<int>(all[0]));
    bundle.words.emplace_back(all.begin() + 2,
                              all.begin() + 2 + static_cast<std::ptrdiff_t>(length));
    all = all.subspan(2 + length);
  }
  return bundle;
}

/// A message that leaves while others are made; it keeps what it sends.
class Leaving {
 public:
  Leaving(std::int64_t kind, Words body, int to, int tag, MPI_Comm comm)
      : head_{kind, static_cast<std::int64_t>(body.size())}, body_(std::move(body)) {
    PMPI_Isend(head_.data(), static_cast<int>(head_.size()), MPI_INT64_T, to, tag, comm,
               requests_.data());
    if (body_.empty()) return;
    PMPI_Isend(body_.data(), static_cast<int>(body_.size()), MPI_INT64_T, to, tag, comm,
               &requests_[1]);
  }
  ~Leaving() {
    for (MPI_Request& request : requests_) wait_asleep(request);
  }
  Leaving(const Leaving&) = delete;
  Leaving& operator=(const Leaving&) = delete;

 private:
  std::array<std::int64_t, kWordsOfHead> head_;
  Words body_;
  std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

struct FromTree {
  std::int64_t kind = 0;
  int from = 0;
  Bundle bundle;
};

/// The next message with this tag, waited for asleep.
FromTree receive(int from, int tag, MPI_Comm comm) {
  std::array<std::int64_t, kWordsOfHead> head{};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  PMPI_Irecv(head.data(), static_cast<int>(head.size()), MPI_INT64_T, from, tag, comm, &request);
  wait_asleep(request, &status);
  Words body(static_cast<std::size_t>(head[1]));
  if (!body.empty()) {
    PMPI_Irecv(body.data(), static_cast<int>(body.size()), MPI_INT64_T, status.MPI_SOURCE, tag,
               comm, &request);
    wait_asleep(request);
  }
  return {head[0], status.MPI_SOURCE, unpacked(body)};
}

/// Tells the nodes below, and returns while that may still be on its way. Nodes below which nobody
/// has anything to do are not told of tasks.
std::deque<Leaving> tell_those_below(const Bundle& told, std::int64_t kind, MPI_Comm comm) {
  std::deque<Leaving> leaving;
  for (const TreeStretch& part : parts_below({0, told.ranks.size()}, kTellingFan)) {
    if (kind == kTasks && told.is_empty(part)) continue;
    leaving.emplace_back(kind, packed(told, part), told.ranks[part.begin], kDown, comm);
  }
  return leaving;
}

/// Tells the nodes below, does the tasks of the first node, and collects what the others measured.
/// @return what all nodes of the bundle measured
Bundle run_below(const Bundle& told, MPI_Comm comm) {
  Bundle measured{told.ranks, std::vector<Words>(told.ranks.size())};
  {
    const std::deque<Leaving> leaving = tell_those_below(told, kTasks, comm);
    measured.words[0] = to_words(run_tasks(tasks_from(told.words[0]), comm));
  }
  for (const TreeStretch& part : parts_below({0, told.ranks.size()}, kTellingFan)) {
    if (!told.reports(part)) continue;
    Bundle theirs = receive(told.ranks[part.begin], kUp, comm).bundle;
    std::move(theirs.words.begin(), theirs.words.end(),
              measured.words.begin() + static_cast<std::ptrdiff_t>(part.begin));
  }
  return measured;
}

/// Replaces numbers of nodes by the ranks that measure there.
void to_ranks(discover::Experiment& e, const std::vector<int>& ranks) {
  for (Node* node : {&e.from, &e.to}) *node = static_cast<Node>(ranks[*node]);
}

}  // namespace

MpiProber::MpiProber(MPI_Comm comm, std::vector<int> ranks, Progress progress)
    : comm_(comm),
      ranks_(std::move(ranks)),
      start_(seconds_now()),
      progress_(std::move(progress)) {}

MpiProber::~MpiProber() {
  static_cast<void>(tell_those_below({ranks_, std::vector<Words>(size())}, kEnd, comm_));
}

Time MpiProber::spent() const {
  return Time{static_cast<std::int64_t>((seconds_now() - start_) * 1e12)};
}

Expected<std::vector<std::vector<Measured>>> MpiProber::run(
    std::span<const discover::Round> rounds) {
  auto tasks = tasks_by_node(rounds, size());
  for (auto& of_node : tasks) {
    for (ProbeTask& task : of_node) to_ranks(task.experiment, ranks_);
  }
  Bundle told{ranks_, {}};
  for (const auto& of_node : tasks) told.words.push_back(to_words(of_node));
  const Bundle measured = run_below(told, comm_);
  std::vector<std::vector<Measured>> by_node;
  for (const Words& words : measured.words) by_node.push_back(measured_from(words));
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
    const FromTree told = receive(MPI_ANY_SOURCE, kDown, comm);
    if (told.kind == kEnd) {
      static_cast<void>(tell_those_below(told.bundle, kEnd, comm));
      return;
    }
    const Bundle measured = run_below(told.bundle, comm);
    const TreeStretch all{0, measured.ranks.size()};
    if (!told.bundle.reports(all)) continue;
    const Leaving answer(kTasks, packed(measured, all), told.from, kUp, comm);
  }
}

}  // namespace espalier::mpi
