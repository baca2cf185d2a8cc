// Measures collectives of whatever MPI it is built with, or of what is preloaded under it.
//
//   measure CLOCKS REPEATS OPERATION:BYTES:ROOT[:MEMBERS[:COUNTS]]...
//
// CLOCKS: shared or ack (clocks.hpp). ROOT: a rank, or "all": then a time is the mean over all
// ranks taking their turn as root. MEMBERS: "0+3+5", of a communicator of their own; all if none
// are named. COUNTS: "1+7+3", the elements of 8 bytes of each member's block in a scatterv or
// gatherv; all blocks are equal if none are named. One line for each call, by rank 0:
//   measured OPERATION BYTES ROOT wrong N first_us T times_us T...
// and at the end, where Espalier's library is preloaded, how many calls of rank 0 it saw:
//   library saw N
// The first call (or turn) is told apart: it connects, and may plan. Every result is compared with
// what it has to be.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <sstream>

#include "clocks.hpp"
#include "multicast.hpp"

extern "C" __attribute__((weak)) std::uint64_t espalier_query_count(const char* name);

namespace {

using measure::Case;
using measure::CommRank;
using measure::Timed;

constexpr const char* kMulticast = "multicast";

struct Call {
  std::string operation;
  long bytes = 0;
  std::string root_text;
  std::vector<int> roots;    // one root, or all members in turn
  std::vector<int> members;  // ranks of MPI_COMM_WORLD
  measure::Counts counts;    // elements of each member's block; empty if all are equal
};

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, by);) parts.push_back(part);
  return parts;
}

std::optional<Call> read_call(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 3 || parts.size() > 5) return std::nullopt;
  Call call{parts[0], std::atol(parts[1].c_str()), parts[2], {}, {}, {}};
  if (parts.size() > 3 && !parts[3].empty()) {
    for (const std::string& rank : split(parts[3], '+')) {
      call.members.push_back(std::atoi(rank.c_str()));
    }
  } else {
    call.members.resize(static_cast<std::size_t>(measure::world_size()));
    std::iota(call.members.begin(), call.members.end(), 0);
  }
  call.roots = parts[2] == "all" ? call.members : std::vector{std::atoi(parts[2].c_str())};
  for (const int root : call.roots) {
    if (std::find(call.members.begin(), call.members.end(), root) == call.members.end()) {
      return std::nullopt;
    }
  }
  for (const int rank : call.members) {
    if (rank < 0 || rank >= measure::world_size()) return std::nullopt;
  }
  if (parts.size() == 5) {
    for (const std::string& count : split(parts[4], '+')) {
      call.counts.push_back(std::atoi(count.c_str()));
      if (call.counts.back() < 0) return std::nullopt;
    }
    if (call.counts.size() != call.members.size()) return std::nullopt;
  }
  if (call.operation == kMulticast) {
    if (call.bytes < 0 || call.roots.size() != 1 || !call.counts.empty()) return std::nullopt;
  } else if (!measure::can_measure(call.operation, call.bytes, call.counts)) {
    return std::nullopt;
  }
  return call;
}

int position(const std::vector<int>& members, int rank) {
  const auto it = std::find(members.begin(), members.end(), rank);
  return it == members.end() ? -1 : static_cast<int>(it - members.begin());
}

/// The members' own communicator, in their order; rank -1 for those who are none. All ranks take
/// part in a multicast.
CommRank place_of(const Call& call) {
  const int me = position(call.members, measure::world_rank());
  const bool has_all = static_cast<int>(call.members.size()) == measure::world_size();
  if (has_all || call.operation == kMulticast) {
    return {MPI_COMM_WORLD, measure::world_rank(), measure::world_size()};
  }
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, me < 0 ? MPI_UNDEFINED : 0, me, &comm);
  return {comm, me, static_cast<int>(call.members.size())};
}

/// Times a call with one root or with all of them in turn.
class Runner {
 public:
  Runner(bool by_acknowledgement, const Call& call)
      : by_acknowledgement_(by_acknowledgement), call_(call), place_(place_of(call)) {}
  ~Runner() {
    if (place_.comm != MPI_COMM_WORLD && place_.comm != MPI_COMM_NULL) MPI_Comm_free(&place_.comm);
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  [[nodiscard]] double once_us(measure::SharedClock& clock, measure::Acknowledged& acknowledged) {
    const auto nth = [&](int k) { return timed(call_.roots[static_cast<std::size_t>(k)]); };
    const int count = static_cast<int>(call_.roots.size());
    std::vector<std::int64_t> times;
    if (by_acknowledgement_) {
      for (int k = 0; k < count; ++k) times.push_back(acknowledged.time(nth(k), call_.members));
    } else if (count == 1) {
      times.push_back(clock.time(nth(0)));
    } else {
      times = clock.times(count, nth, slot_);
    }
    return static_cast<double>(std::accumulate(times.begin(), times.end(), std::int64_t{0})) / 1e3 /
           count;
  }
  [[nodiscard]] int wrong() const { return wrong_; }

 private:
  /// Buffers are made anew for each root and kept for its repeats.
  Timed timed(int root) {
    if (place_.rank < 0) return {[] {}, [] {}, [] {}, root};
    const auto prepare = [this, root] {
      if (made_for_ != root) {
        case_ = call_.operation == kMulticast
                    ? measure::multicast(call_.members, call_.bytes, root)
                    : make_case(call_.operation, place_, call_.bytes, position(call_.members, root),
                                call_.counts);
        made_for_ = root;
      }
      if (case_.in_place) {
        case_.out = case_.in;
      } else {
        std::fill(case_.out.begin(), case_.out.end(), -1);
      }
    };
    const auto check = [this] {
      if (!case_.is_right(case_.out)) ++wrong_;
    };
    return {prepare, [this] { case_.call(case_.in, case_.out); }, check, root};
  }

  bool by_acknowledgement_;
  const Call& call_;
  CommRank place_;
  Case case_;
  int made_for_ = -1;
  std::int64_t slot_ = 0;
  int wrong_ = 0;
};

void run(const Call& call, bool by_acknowledgement, int repeats, measure::SharedClock& clock,
         measure::Acknowledged& acknowledged) {
  Runner runner(by_acknowledgement, call);
  const int warm_ups = call.roots.size() > 1 || by_acknowledgement ? 0 : 2;
  const double first = runner.once_us(clock, acknowledged);
  for (int i = 0; i < warm_ups; ++i) (void)runner.once_us(clock, acknowledged);
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) times.push_back(runner.once_us(clock, acknowledged));
  int wrong = runner.wrong();
  PMPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (measure::world_rank() != 0) return;
  std::printf("measured %s %ld %s wrong %d first_us %.1f times_us", call.operation.c_str(),
              call.bytes, call.root_text.c_str(), wrong, first);
  for (const double t : times) std::printf(" %.1f", t);
  std::printf("\n");
  std::fflush(stdout);
}

/// A library that is loaded and takes no part would be measured as if it were of no use.
void tell_what_the_library_saw() {
  if (espalier_query_count == nullptr || measure::world_rank() != 0) return;
  const std::uint64_t seen = espalier_query_count("planned") + espalier_query_count("native");
  std::printf("library saw %llu\n", static_cast<unsigned long long>(seen));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 0;
  {
    const std::string clocks = argc > 1 ? argv[1] : "";
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 0;
    if (argc < 4 || repeats < 1 || (clocks != "shared" && clocks != "ack")) code = 2;
    measure::SharedClock clock;
    measure::Acknowledged acknowledged;
    for (int i = 3; i < argc && code == 0; ++i) {
      const std::optional<Call> call = read_call(argv[i]);
      if (!call) {
        if (measure::world_rank() == 0) std::fprintf(stderr, "measure: cannot do %s\n", argv[i]);
        code = 2;
        break;
      }
      run(*call, clocks == "ack", repeats, clock, acknowledged);
    }
    tell_what_the_library_saw();
  }
  MPI_Finalize();
  return code;
}
