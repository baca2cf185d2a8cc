#include "mpi/probe_tasks.hpp"

#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/contract.hpp"
#include "mpi/mpi_traits.hpp"
#include "mpi/seconds_now.hpp"
#include "trace/clock.hpp"

namespace espalier::mpi {
namespace {

using discover::Experiment;
using discover::Kind;
using discover::Measured;
using discover::Node;

constexpr int kHello = 1, kPing = 2, kPong = 3, kDone = 4;  // tags

Time now() { return probe_clock(); }

/// Time by the clock that computers synchronise, modulo some days, for the range of Time.
Time time_of_day() {
  if (kIsSimulated) return now();
  timespec t{};
  ::clock_gettime(CLOCK_REALTIME, &t);
  return Time{(t.tv_sec % 1'000'000) * 1'000'000'000'000 + t.tv_nsec * 1'000};
}

/// One experiment between this node and another; buffers are as long as its messages.
class Probe {
 public:
  Probe(const Experiment& experiment, MPI_Comm comm)
      : e_(experiment), comm_(comm), data_(std::max<std::uint64_t>(1, experiment.bytes.value)) {}

  Measured initiate() {
    Measured result;
    if (e_.greets) greet(e_.to);
    // By two clocks, which may be far apart: only their sum means something.
    Time least_out = kForever, least_back = kForever;
    const Time begin = now();
    while (goes_on(e_, result.samples, now() - begin)) {
      sleep_for(e_.delay);
      const Time start = now();
      if (e_.kind == Kind::Train) {
        train(result);
        result.samples.push_back(now() - start);
        continue;
      }
      if (e_.kind == Kind::Stream) {
        stream(result);
      } else {
        send(e_.to, kPing, e_.bytes.value);
      }
      const Stamps there = receive_stamps();
      const Time end = now();
      // While the other end was not there for us, nothing was on the way.
      result.samples.push_back((end - start) - (there.answered - there.came));
      least_out = std::min(least_out, there.came - start);
      least_back = std::min(least_back, end - there.answered);
    }
    send(e_.to, kDone, 0);
    if (e_.kind == Kind::RoundTrip && result.samples.size() > 1) {
      result.samples.push_back(least_out + least_back);
    }
    return result;
  }

  void answer() {
    const int from = static_cast<int>(e_.from);
    if (e_.greets) {
      wait_for(e_.from, kHello);
      send(e_.from, kPong, 0);
    }
    std::vector<Time> arrivals;
    for (std::uint32_t pings = 0;;) {
      MPI_Status status;
      PMPI_Recv(data_.data(), static_cast<int>(e_.bytes.value), MPI_CHAR, from, MPI_ANY_TAG, comm_,
                &status);
      if (status.MPI_TAG == kDone) return;
      const Time came = now();
      if (e_.kind == Kind::Train) arrivals.push_back(time_of_day());
      if (++pings % e_.messages != 0) continue;
      if (e_.kind == Kind::Train) {
        tell_arrivals(arrivals);
        arrivals.clear();
      } else {
        answer_with_stamps(came);
      }
    }
  }

 private:
  /// Connects, and waits until the other one is there.
  void greet(Node other) {
    send(other, kHello, 0);
    wait_for(other, kPong);
  }

  /// Asleep, for a message of nothing.
  void wait_for(Node other, int tag) {
    char none = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Irecv(&none, 0, MPI_CHAR, static_cast<int>(other), tag, comm_, &request);
    wait_asleep(request);
  }

  void send(Node to, int tag, std::uint64_t bytes) {
    PMPI_Send(data_.data(), static_cast<int>(bytes), MPI_CHAR, static_cast<int>(to), tag, comm_);
  }

  /// When a message came and when its answer left, by the clock of the one who answers.
  struct Stamps {
    Time came, answered;
  };
  static_assert(sizeof(Stamps) == 2 * sizeof(std::int64_t));

  Stamps receive_stamps() {
    Stamps stamps;
    PMPI_Recv(&stamps, 2, MPI_INT64_T, static_cast<int>(e_.to), kPong, comm_, MPI_STATUS_IGNORE);
    return stamps;
  }

  void answer_with_stamps(Time came) {
    const Stamps stamps{came, now()};
    PMPI_Send(&stamps, 2, MPI_INT64_T, static_cast<int>(e_.from), kPong, comm_);
  }

  /// All of it at once: what can go out goes out.
  void train(Measured& result) {
    std::vector<MPI_Request> requests(e_.messages, MPI_REQUEST_NULL);
    for (MPI_Request& request : requests) {
      PMPI_Isend(data_.data(), static_cast<int>(e_.bytes.value), MPI_CHAR, static_cast<int>(e_.to),
                 kPing, comm_, &request);
    }
    PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    result.arrivals.resize(e_.messages);
    PMPI_Recv(result.arrivals.data(), static_cast<int>(e_.messages), MPI_INT64_T,
              static_cast<int>(e_.to), kPong, comm_, MPI_STATUS_IGNORE);
  }

  void tell_arrivals(const std::vector<Time>& arrivals) {
    static_assert(sizeof(Time) == sizeof(std::int64_t));
    PMPI_Send(arrivals.data(), static_cast<int>(arrivals.size()), MPI_INT64_T,
              static_cast<int>(e_.from), kPong, comm_);
  }

  void stream(Measured& result) {
    std::vector<MPI_Request> requests(discover::kBusyChunk, MPI_REQUEST_NULL);
    for (std::uint32_t sent = 0; sent < e_.messages;) {
      const std::uint32_t count = std::min(discover::kBusyChunk, e_.messages - sent);
      const Time start = now();
      for (std::uint32_t i = 0; i < count; ++i) {
        PMPI_Isend(data_.data(), static_cast<int>(e_.bytes.value), MPI_CHAR,
                   static_cast<int>(e_.to), kPing, comm_, &requests[i]);
      }
      PMPI_Waitall(static_cast<int>(count), requests.data(), MPI_STATUSES_IGNORE);
      result.busy.push_back(Time{(now() - start).picoseconds / count});
      sent += count;
    }
  }

  const Experiment& e_;
  MPI_Comm comm_;
  std::vector<char> data_;
};

constexpr std::size_t kWordsATask = 11;

}  // namespace

Time probe_clock() {
  if (kIsSimulated) return Time{static_cast<std::int64_t>(seconds_now() * 1e12)};
  static const trace::Nanoseconds begin = trace::monotonic_now();
  return Time{1'000 * (trace::monotonic_now() - begin)};
}

void sleep_for(Time time) {
  if (time <= Time{0}) return;
  const auto microseconds_long = static_cast<useconds_t>(time.picoseconds / 1'000'000);
  if constexpr (kIsSimulated) {
    sleep_simulated(microseconds_long);
  } else {
    ::usleep(microseconds_long);
  }
}

std::vector<std::vector<ProbeTask>> tasks_by_node(std::span<const discover::Round> rounds,
                                                  Node nodes) {
  std::vector<std::vector<ProbeTask>> tasks(nodes);
  for (const discover::Round& round : rounds) {
    expects(is_sound(round, nodes), "tasks_by_node: a node is in two experiments of a round");
    for (Experiment e : round) {
      // Who met each other last need not greet again. Seen from one end alone this may look so
      // while the other end has been elsewhere, so it is settled here for both.
      const auto met_last = [&](Node node) {
        return !tasks[node].empty() && tasks[node].back().experiment.from == e.from &&
               tasks[node].back().experiment.to == e.to;
      };
      if (met_last(e.from) && met_last(e.to)) e.greets = false;
      tasks[e.from].push_back({e, true});
      tasks[e.to].push_back({e, false});
    }
  }
  return tasks;
}

std::vector<Measured> run_tasks(std::span<const ProbeTask> tasks, MPI_Comm nodes) {
  std::vector<Measured> results;
  for (const auto& [experiment, initiates] : tasks) {
    Probe probe(experiment, nodes);
    if (initiates) {
      results.push_back(probe.initiate());
    } else {
      probe.answer();
    }
  }
  return results;
}

std::vector<std::int64_t> to_words(std::span<const ProbeTask> tasks) {
  std::vector<std::int64_t> words;
  for (const auto& [e, initiates] : tasks) {
    words.insert(words.end(), {static_cast<std::int64_t>(e.kind), e.from, e.to,
                               static_cast<std::int64_t>(e.bytes.value), e.messages, e.repeats,
                               e.patience.picoseconds, e.warms_up ? 1 : 0, e.greets ? 1 : 0,
                               e.delay.picoseconds, initiates ? 1 : 0});
  }
  return words;
}

std::vector<ProbeTask> tasks_from(std::span<const std::int64_t> words) {
  std::vector<ProbeTask> tasks;
  for (; words.size() >= kWordsATask; words = words.subspan(kWordsATask)) {
    Experiment e;
    e.kind = static_cast<Kind>(words[0]);
    e.from = static_cast<Node>(words[1]);
    e.to = static_cast<Node>(words[2]);
    e.bytes = {static_cast<std::uint64_t>(words[3])};
    e.messages = static_cast<std::uint32_t>(words[4]);
    e.repeats = static_cast<std::uint32_t>(words[5]);
    e.patience = Time{words[6]};
    e.warms_up = words[7] == 1;
    e.greets = words[8] == 1;
    e.delay = Time{words[9]};
    tasks.push_back({e, words[10] == 1});
  }
  return tasks;
}

bool has_to_initiate(std::span<const std::int64_t> tasks) {
  for (; tasks.size() >= kWordsATask; tasks = tasks.subspan(kWordsATask)) {
    if (tasks[kWordsATask - 1] == 1) return true;
  }
  return false;
}

std::vector<std::int64_t> to_words(std::span<const Measured> measured) {
  std::vector<std::int64_t> words;
  for (const Measured& m : measured) {
    for (const auto* times : {&m.samples, &m.arrivals, &m.busy}) {
      words.push_back(static_cast<std::int64_t>(times->size()));
      for (const Time t : *times) words.push_back(t.picoseconds);
    }
  }
  return words;
}

std::vector<Measured> measured_from(std::span<const std::int64_t> words) {
  std::vector<Measured> result;
  while (!words.empty()) {
    result.emplace_back();
    for (auto* times : {&result.back().samples, &result.back().arrivals, &result.back().busy}) {
      const auto count = static_cast<std::size_t>(words.front());
      for (const std::int64_t t : words.subspan(1, count)) times->push_back(Time{t});
      words = words.subspan(1 + count);
    }
  }
  return result;
}

}  // namespace espalier::mpi
