// System-ranked groups under SimGrid's SMPI: the groups' own protocol code over MPI messages,
// thousands of ranks, beside MPI_Comm_split. `espalier reproduce langer --on smpi` starts it.
//
//   smpi_groups made SEED MILLIONTHS...      all schemes, one group of that fraction
//   smpi_groups split SEED COLOURS...        MPI_Comm_split and Rank-and-Hash into so many groups
//
// Prints "made SCHEME MILLIONTHS MEMBERS US WRONG MEMORY" and "split COLOURS SPLIT_US GROUP_US
// WRONG". Times go from a common start to the last rank, by the simulated clock; as in the paper a
// broadcast on the old tree and a reduction on the new one are part of it. MEMORY: most bytes of a
// process.
#include <mpi.h>
#include <smpi/smpi.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "group/experiment.hpp"
#include "group/group.hpp"

namespace {

using namespace espalier;

constexpr int kTag = 1;
constexpr Rank kDegree = 3;

/// Messages as MPI messages; a process that waits blocks in MPI_Recv, so that no simulated time
/// goes into polling.
class SmpiEndpoint : public group::Endpoint {
 public:
  explicit SmpiEndpoint(MPI_Comm comm) : comm_(comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    self_ = static_cast<group::Id>(rank);
    int size = 1;
    MPI_Comm_size(comm, &size);
    buffer_.resize(kMostWords * static_cast<std::size_t>(size) + 64);
  }
  [[nodiscard]] group::Id self() const override { return self_; }

  void send(group::Id to, group::Message message) override {
    message.from = self_;
    if (to == self_) {
      to_self_.push_back(std::move(message));
      return;
    }
    std::vector<std::uint32_t> wire{static_cast<std::uint32_t>(message.tag),
                                    static_cast<std::uint32_t>(message.tag >> 32U),
                                    static_cast<std::uint32_t>(message.kind), message.ids};
    for (const std::uint32_t word : message.words) wire.push_back(word);
    sends_.push_back({std::move(wire), MPI_REQUEST_NULL});
    Sent& sent = sends_.back();
    MPI_Isend(sent.wire.data(), static_cast<int>(sent.wire.size()), MPI_UINT32_T,
              static_cast<int>(to), kTag, comm_, &sent.request);
  }

  /// The next message, whenever it comes.
  group::Message next() {
    if (!to_self_.empty()) {
      group::Message message = std::move(to_self_.front());
      to_self_.pop_front();
      return message;
    }
    // No MPI_Probe: SMPI polls in it, and every poll takes a tenth of a millisecond.
    MPI_Status status;
    int count = 0;
    MPI_Recv(buffer_.data(), static_cast<int>(buffer_.size()), MPI_UINT32_T, MPI_ANY_SOURCE, kTag,
             comm_, &status);
    MPI_Get_count(&status, MPI_UINT32_T, &count);
    const std::span<const std::uint32_t> wire(buffer_.data(), static_cast<std::size_t>(count));
    group::Message message;
    message.tag = wire[0] | static_cast<group::Tag>(wire[1]) << 32U;
    message.from = static_cast<group::Id>(status.MPI_SOURCE);
    message.kind = static_cast<group::Kind>(wire[2]);
    message.ids = static_cast<std::uint8_t>(wire[3]);
    for (std::size_t w = 4; w < wire.size(); ++w) message.words.push_back(wire[w]);
    return message;
  }

  /// Lets go of sends; after a barrier all have been received.
  void finish_sends() {
    for (Sent& sent : sends_) MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
    sends_.clear();
  }

 private:
  struct Sent {
    std::vector<std::uint32_t> wire;
    MPI_Request request;
  };
  /// No message has more words for each process: lists of ids with a few more.
  static constexpr std::size_t kMostWords = 4;
  MPI_Comm comm_;
  group::Id self_ = 0;
  std::vector<std::uint32_t> buffer_;
  std::deque<group::Message> to_self_;
  std::deque<Sent> sends_;
};

/// What all ranks bring together behind a measurement: sums and largest values.
struct Outcome {
  double longest_us = 0;
  double latest = 0;  ///< when the last rank was done
  std::uint64_t memory = 0;
  std::uint64_t members = 0;
  int wrong = 0;
};

/// Everybody's outcomes at rank 0, and a moment for all to begin again, along a binomial tree.
/// SMPI's own barrier and allreduce are linear: thousands of messages that share the link of rank 0
/// take its solver minutes.
Outcome gathered(Outcome mine, MPI_Comm comm) {
  constexpr int kUp = 2, kDown = 3;
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  mine.latest = MPI_Wtime();
  int parent = -1, reach = 1;
  for (; reach < size; reach *= 2) {
    if ((rank & reach) != 0) {
      parent = rank - reach;
      break;
    }
    if (rank + reach >= size) continue;
    Outcome other;
    MPI_Recv(&other, sizeof(other), MPI_BYTE, rank + reach, kUp, comm, MPI_STATUS_IGNORE);
    mine.longest_us = std::max(mine.longest_us, other.longest_us);
    mine.latest = std::max(mine.latest, other.latest);
    mine.memory = std::max(mine.memory, other.memory);
    mine.members += other.members;
    mine.wrong += other.wrong;
  }
  double begin = mine.latest + 0.1;
  if (parent >= 0) {
    MPI_Send(&mine, sizeof(mine), MPI_BYTE, parent, kUp, comm);
    MPI_Recv(&begin, 1, MPI_DOUBLE, parent, kDown, comm, MPI_STATUS_IGNORE);
  }
  for (reach /= 2; reach > 0; reach /= 2) {
    if (rank + reach < size) MPI_Send(&begin, 1, MPI_DOUBLE, rank + reach, kDown, comm);
  }
  const double left = std::max(0.0, begin - MPI_Wtime());
  const double whole = std::floor(left);
  const timespec nap{static_cast<time_t>(whole), static_cast<long>((left - whole) * 1e9)};
  smpi_nanosleep(&nap, nullptr);
  return mine;
}

class Bench {
 public:
  Bench() : endpoint_(duplicate()) {}

  /// At rank 0: all ranks' outcome, the time of the last one.
  Outcome make(group::Scheme scheme, group::Colour colour) {
    const double begin = MPI_Wtime();
    // Anew each time: giving a group up takes messages too, which would come in the next time.
    group::Process process(endpoint_, size(), kDegree);
    std::uint64_t most_bytes = 0;
    const auto step = [&] {
      process.receive(endpoint_.next());
      most_bytes = std::max<std::uint64_t>(most_bytes, process.bytes());
    };
    const auto wait = [&](const group::Ticket& ticket) {
      while (!ticket.test()) step();
    };
    group::Group world = process.world();
    std::byte word{};
    wait(world.broadcast({&word, 1}, 0));
    group::SplitOptions options;
    options.scheme = scheme;
    options.degree = kDegree;
    group::Splitting making = takes_colours(scheme)
                                  ? world.split(colour, options)
                                  : world.enroll(colour != group::kNoColour, options);
    while (!making.test()) step();
    group::Group made = making.group();
    const bool joins = colour != group::kNoColour;
    std::uint64_t sum = joins ? 1 : 0;
    if (made.member()) {
      wait(made.reduce(std::as_writable_bytes(std::span(&sum, 1)), group::sum_of<std::uint64_t>(),
                       0));
    }
    Outcome mine;
    mine.longest_us = 1e6 * (MPI_Wtime() - begin);
    mine.memory = most_bytes;
    mine.members = made.member() ? 1 : 0;
    // Whoever has rank 0 of a group counted its members.
    mine.wrong =
        made.member() != joins || (made.member() && made.rank() == 0 && sum != made.size()) ? 1 : 0;
    const Outcome all = begin_again(mine);
    endpoint_.finish_sends();
    return all;
  }

  /// MPI_Comm_split of all ranks: the time of the last one, at rank 0.
  double split(int colour, int rank) {
    Outcome mine;
    const double begin = MPI_Wtime();
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, colour, rank, &made);
    mine.longest_us = 1e6 * (MPI_Wtime() - begin);
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    return begin_again(mine).longest_us;
  }

  /// All ranks begin at one moment.
  Outcome begin_again(const Outcome& mine = {}) { return gathered(mine, outcomes_); }

  [[nodiscard]] static Rank size() {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return static_cast<Rank>(size);
  }
  [[nodiscard]] group::Id self() const { return endpoint_.self(); }

 private:
  static MPI_Comm duplicate() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return comm;
  }
  MPI_Comm outcomes_ = duplicate();
  SmpiEndpoint endpoint_;
};

group::Experiment drawn(Rank processes, std::uint64_t millionths, group::Colour colours,
                        std::uint64_t seed) {
  group::Experiment experiment;
  experiment.processes = processes;
  experiment.degree = kDegree;
  experiment.millionths = millionths;
  experiment.colours = colours;
  experiment.seed = seed;
  return experiment;
}

void time_schemes(Bench& bench, std::uint64_t seed, std::uint64_t millionths) {
  const group::Experiment experiment = drawn(Bench::size(), millionths, 1, seed);
  const group::Colour colour = group::drawn_colour(experiment, 0, bench.self());
  for (const group::Scheme scheme :
       {group::Scheme::Centralized, group::Scheme::ShrinkAndBalance, group::Scheme::RankAndHash}) {
    const Outcome made = bench.make(scheme, colour);
    if (bench.self() != 0) continue;
    std::printf("made %s %llu %llu %.3f %d %llu\n", std::string(name(scheme)).c_str(),
                static_cast<unsigned long long>(millionths),
                static_cast<unsigned long long>(made.members), made.longest_us, made.wrong,
                static_cast<unsigned long long>(made.memory));
  }
}

void time_colours(Bench& bench, std::uint64_t seed, group::Colour colours) {
  const group::Experiment experiment = drawn(Bench::size(), 1'000'000, colours, seed);
  const group::Colour colour = group::drawn_colour(experiment, 0, bench.self());
  const double split = bench.split(static_cast<int>(colour), static_cast<int>(bench.self()));
  const Outcome made = bench.make(group::Scheme::RankAndHashColours, colour);
  if (bench.self() == 0) {
    std::printf("split %u %.3f %.3f %d\n", colours, split, made.longest_us, made.wrong);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string what = argc > 3 ? argv[1] : "";
  const bool is_right = what == "made" || what == "split";
  if (is_right) {
    Bench bench;
    bench.begin_again();
    const auto seed = static_cast<std::uint64_t>(std::atoll(argv[2]));
    for (int i = 3; i < argc; ++i) {
      if (what == "made") {
        time_schemes(bench, seed, static_cast<std::uint64_t>(std::atoll(argv[i])));
      } else {
        time_colours(bench, seed, static_cast<group::Colour>(std::atoll(argv[i])));
      }
    }
  }
  MPI_Finalize();
  return is_right ? 0 : 2;
}
