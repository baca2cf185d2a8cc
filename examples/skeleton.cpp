// The communication of a program without its numbers, for real: replays a profile, or one of the
// built-in workloads, message by message over MPI, checks all that arrives, and prints the time.
//
//   mpiexec -n 16 skeleton lu.W:heavy=1 [--compute FACTOR] [--steps PERCENT]
//
// Computation is waited for (under SMPI simulated), FACTOR times as long; 0 leaves it out. --steps
// makes the outermost loops shorter.
#include <mpi.h>
#ifdef ESPALIER_SMPI
#include <smpi/smpi.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "profile/load.hpp"

namespace {

using espalier::Rank;
using espalier::profile::Action;
using espalier::profile::ActionKind;
using espalier::profile::Profile;
using espalier::schedule::Operation;

/// Replays one process's actions.
class Replay {
 public:
  Replay(const Profile& profile, double compute, double steps)
      : profile_(profile), compute_(compute), steps_(steps) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    sent_.resize(profile.size());
    received_.resize(profile.size());
    for (std::size_t c = 0; c < profile.communicators.size(); ++c) {
      MPI_Comm made = MPI_COMM_WORLD;
      if (c > 0) {
        const auto& members = profile.communicators[c];
        const auto at = std::find(members.begin(), members.end(), static_cast<Rank>(rank_));
        MPI_Comm_split(MPI_COMM_WORLD, at == members.end() ? MPI_UNDEFINED : 0,
                       static_cast<int>(at - members.begin()), &made);
      }
      communicators_.push_back(made);
    }
  }

  void run() {
    const auto& actions = profile_.processes[static_cast<std::size_t>(rank_)].actions;
    run(actions, 0, actions.size(), true);
    while (!flying_.empty()) finish_one();
  }
  [[nodiscard]] int wrong() const { return wrong_; }

 private:
  struct Flying {
    std::vector<unsigned char> data;
    MPI_Request request;
  };

  void run(const std::vector<Action>& actions, std::size_t begin, std::size_t end, bool outermost) {
    for (std::size_t i = begin; i < end; ++i) {
      const Action& a = actions[i];
      switch (a.kind) {
        case ActionKind::Compute:
          compute(espalier::to_seconds(a.takes) * compute_);
          break;
        case ActionKind::Send:
          send(a.peer, a.bytes);
          break;
        case ActionKind::Recv:
          receive(a.peer, a.bytes);
          break;
        case ActionKind::Collective:
          collective(a);
          break;
        case ActionKind::Loop: {
          const double share = outermost ? steps_ : 1;
          const auto times =
              static_cast<std::uint64_t>(std::max(1.0, static_cast<double>(a.times) * share));
          for (std::uint64_t t = 0; t < times; ++t) run(actions, i + 1, i + 1 + a.body, false);
          i += a.body;
          break;
        }
      }
    }
  }

  static void compute(double seconds) {
    if (seconds <= 0) return;
#ifdef ESPALIER_SMPI
    smpi_execute_flops(seconds * 1e9);  // a speed of 1 is 1 Gf
#else
    const double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end) {
    }
#endif
  }

  /// Byte i of the n-th message from one process to another.
  static unsigned char pattern(int from, Rank to, std::uint64_t n, std::size_t i) {
    return static_cast<unsigned char>(from * 7 + static_cast<int>(to) * 31 +
                                      static_cast<int>(n % 251) + static_cast<int>(i % 13));
  }
  void send(Rank to, std::uint64_t bytes) {
    const std::uint64_t n = sent_[to]++;
    flying_.push_back({std::vector<unsigned char>(bytes), MPI_REQUEST_NULL});
    Flying& message = flying_.back();
    for (std::size_t i = 0; i < bytes; ++i) message.data[i] = pattern(rank_, to, n, i);
    MPI_Isend(message.data.data(), static_cast<int>(bytes), MPI_BYTE, static_cast<int>(to), 0,
              MPI_COMM_WORLD, &message.request);
    for (int done = 1; done != 0 && !flying_.empty();) {
      MPI_Test(&flying_.front().request, &done, MPI_STATUS_IGNORE);
      if (done != 0) flying_.pop_front();
    }
  }
  void finish_one() {
    MPI_Wait(&flying_.front().request, MPI_STATUS_IGNORE);
    flying_.pop_front();
  }
  void receive(Rank from, std::uint64_t bytes) {
    std::vector<unsigned char> data(bytes + 1);  // one too many would be seen
    MPI_Status status;
    MPI_Recv(data.data(), static_cast<int>(data.size()), MPI_BYTE, static_cast<int>(from), 0,
             MPI_COMM_WORLD, &status);
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    const std::uint64_t n = received_[from]++;
    bool right = count == static_cast<int>(bytes);
    for (std::size_t i = 0; i < bytes && right; ++i) {
      right = data[i] == pattern(static_cast<int>(from), static_cast<Rank>(rank_), n, i);
    }
    if (!right) ++wrong_;
  }

  /// Each with data that tell where they come from.
  void collective(const Action& a) {
    MPI_Comm comm = communicators_[a.communicator];
    int size = 0, me = 0;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &me);
    const auto& members = profile_.communicators[a.communicator];
    const int root =
        static_cast<int>(std::find(members.begin(), members.end(), a.peer) - members.begin());
    const int n = std::max(1, static_cast<int>(a.bytes / 4));  // of integers
    const auto length = static_cast<std::size_t>(n);
    const std::size_t all = length * static_cast<std::size_t>(size);
    const int total = size * (size + 1) / 2;
    const auto is = [this](const std::vector<int>& v, int wanted) {
      if (std::any_of(v.begin(), v.end(), [wanted](int x) { return x != wanted; })) ++wrong_;
    };
    const auto blocks_are = [this, length](const std::vector<int>& v) {
      for (std::size_t i = 0; i < v.size(); ++i) {
        if (v[i] != static_cast<int>(i / length) + 1) {
          ++wrong_;
          return;
        }
      }
    };
    std::vector<int> in(length, me + 1), out(length);
    switch (a.operation) {
      case Operation::Broadcast:
        MPI_Bcast(in.data(), n, MPI_INT, root, comm);
        return is(in, root + 1);
      case Operation::Reduce:
        MPI_Reduce(in.data(), out.data(), n, MPI_INT, MPI_SUM, root, comm);
        if (me == root) is(out, total);
        return;
      case Operation::Allreduce:
        MPI_Allreduce(in.data(), out.data(), n, MPI_INT, MPI_SUM, comm);
        return is(out, total);
      case Operation::Barrier:
        MPI_Barrier(comm);
        return;
      case Operation::Gather:
        out.assign(all, 0);
        MPI_Gather(in.data(), n, MPI_INT, out.data(), n, MPI_INT, root, comm);
        if (me == root) blocks_are(out);
        return;
      case Operation::Scatter: {
        std::vector<int> blocks(all);
        for (std::size_t i = 0; i < all; ++i) blocks[i] = static_cast<int>(i / length) + 1;
        MPI_Scatter(blocks.data(), n, MPI_INT, out.data(), n, MPI_INT, root, comm);
        return is(out, me + 1);
      }
      case Operation::Allgather:
        out.assign(all, 0);
        MPI_Allgather(in.data(), n, MPI_INT, out.data(), n, MPI_INT, comm);
        return blocks_are(out);
      case Operation::Alltoall: {
        const std::vector<int> blocks(all, me + 1);
        out.assign(all, 0);
        MPI_Alltoall(blocks.data(), n, MPI_INT, out.data(), n, MPI_INT, comm);
        return blocks_are(out);
      }
      case Operation::ReduceScatter: {
        const std::vector<int> blocks(all, me + 1);
        MPI_Reduce_scatter_block(blocks.data(), out.data(), n, MPI_INT, MPI_SUM, comm);
        return is(out, total);
      }
      case Operation::Scan:
        MPI_Scan(in.data(), out.data(), n, MPI_INT, MPI_SUM, comm);
        return is(out, (me + 1) * (me + 2) / 2);
      case Operation::Exscan:
        MPI_Exscan(in.data(), out.data(), n, MPI_INT, MPI_SUM, comm);
        if (me > 0) is(out, me * (me + 1) / 2);
        return;
      case Operation::Unknown:
        return;
    }
  }

  const Profile& profile_;
  double compute_;
  double steps_;
  int rank_ = 0;
  int wrong_ = 0;
  std::vector<std::uint64_t> sent_, received_;
  std::vector<MPI_Comm> communicators_;
  std::deque<Flying> flying_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double compute = 1, steps = 1;
  for (int i = 2; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--compute") == 0) compute = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--steps") == 0) steps = std::atof(argv[i + 1]) / 100;
  }
  const auto profile =
      espalier::profile::load_profile(argc > 1 ? argv[1] : "lu.S", static_cast<Rank>(size));
  if (!profile || profile->size() != static_cast<Rank>(size)) {
    if (rank == 0) {
      std::fprintf(stderr, "%s\n",
                   profile ? "the profile is of another number of processes"
                           : to_string(profile.error()).c_str());
    }
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Replay replay(*profile, compute, steps);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  replay.run();
  double took = MPI_Wtime() - begin;
  int wrong = replay.wrong();
  MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%s %.6f s, %d wrong\n", profile->name.c_str(), took, wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
