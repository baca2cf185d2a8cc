// Trials on real MPI: calls on communicators that share ranks, in a random order that all ranks
// know, on a machine that is described wrongly, so that every class is tried. At each call results
// must be right, and all members must have gone the same way.
//
//   trials [--seed S] [--calls N] [--comms C] [--kinds K] [--seconds T]
//
// Few of both: fewer classes of calls; no kinds: barriers alone. With --seconds it ends once all
// trials are decided, and on a busy machine after that time: then with code 77 if no class was.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

constexpr int kTimeIsOver = 77;

struct Comm {
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Comm beside = MPI_COMM_NULL;  // for asking who went which way, not through us
  int rank = 0, size = 1;
};

class Trials {
 public:
  Trials(std::uint64_t seed, int comms, std::uint64_t kinds) : random_(seed), kinds_(kinds) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    add(MPI_COMM_WORLD, true);
    for (int c = 1; c < comms; ++c) {
      bool is_member = true;
      for (int r = 0; r < size_; ++r) {
        const bool drawn = random_.chance(70);
        if (r == rank_) is_member = drawn;
      }
      add(MPI_COMM_WORLD, is_member);
    }
  }
  ~Trials() {
    for (Comm& comm : comms_) {
      if (comm.handle == MPI_COMM_NULL) continue;
      MPI_Comm_free(&comm.handle);
      PMPI_Comm_free(&comm.beside);
    }
  }

  int run(int calls, double seconds) {
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; ++i) {
      if (seconds > 0 && i > 0 && i % 64 == 0) {
        if (i % 512 == 0 && all_say(espalier_query_count("undecided") == 0)) break;
        if (!all_say(MPI_Wtime() - begin < seconds)) {
          if (rank_ == 0) std::printf("after %d calls the time is over\n", i);
          if (ways_.size() < 2) return failures_.everywhere() == 0 ? kTimeIsOver : 1;
          break;
        }
      }
      const Comm& comm = comms_[random_.below(comms_.size())];
      const std::uint64_t kind = kinds_ == 0 ? 4 : random_.below(kinds_);
      const int count = random_.chance(50) ? 3 : 2000;
      const std::uint64_t turn = random_.next();
      if (comm.handle == MPI_COMM_NULL || comm.size == 1) continue;
      call(comm, kind, count, static_cast<int>(turn % static_cast<std::uint64_t>(comm.size)));
      all_went_the_same_way(comm);
    }
    // (Where an earlier run has found out, there may be but one.)
    const bool is_known = std::getenv("ESPALIER_VERDICTS") != nullptr;
    failures_.expect(is_known || ways_.size() > 1, "no way but one was ever tried");
    if (rank_ == 0) {
      for (const std::string& way : ways_) std::printf("  %s\n", way.c_str());
    }
    return failures_.exit_code();
  }

 private:
  void add(MPI_Comm from, bool is_member) {
    Comm comm;
    MPI_Comm_split(from, is_member ? 0 : MPI_UNDEFINED, random_.chance(50) ? rank_ : -rank_,
                   &comm.handle);
    if (comm.handle != MPI_COMM_NULL) {
      PMPI_Comm_dup(comm.handle, &comm.beside);
      PMPI_Comm_rank(comm.handle, &comm.rank);
      PMPI_Comm_size(comm.handle, &comm.size);
    }
    comms_.push_back(comm);
  }

  void call(const Comm& comm, std::uint64_t kind, int count, int root) {
    const auto n = static_cast<std::size_t>(count);
    std::vector<int> in(n, comm.rank + 1), out(n, -1);
    const int sum = comm.size * (comm.size + 1) / 2;
    switch (kind) {
      case 0:
        if (comm.rank == root) std::fill(in.begin(), in.end(), 77);
        MPI_Bcast(in.data(), count, MPI_INT, root, comm.handle);
        return expect_all(in, 77, "broadcast");
      case 1:
        MPI_Allreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, comm.handle);
        return expect_all(out, sum, "allreduce");
      case 2:
        MPI_Reduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, root, comm.handle);
        return expect_all(out, comm.rank == root ? sum : -1, "reduce");
      case 3: {
        std::vector<int> all(n * static_cast<std::size_t>(comm.size), -1);
        const std::vector<int> counts(static_cast<std::size_t>(comm.size), count);
        std::vector<int> places(counts.size());
        for (std::size_t r = 0; r < places.size(); ++r) places[r] = static_cast<int>(r) * count;
        MPI_Gatherv(in.data(), count, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT,
                    root, comm.handle);
        for (std::size_t i = 0; i < all.size(); ++i) {
          const int due = comm.rank == root ? static_cast<int>(i / n) + 1 : -1;
          failures_.expect(all[i] == due, "gatherv: wrong data");
        }
        return;
      }
      default:
        MPI_Barrier(comm.handle);
    }
  }

  void expect_all(const std::vector<int>& data, int due, const char* what) {
    const bool right = std::all_of(data.begin(), data.end(), [&](int i) { return i == due; });
    failures_.expect(right, std::string(what) + ": wrong data");
  }

  static bool all_say(bool here) {
    const int own = here ? 1 : 0;
    int least = 0;
    PMPI_Allreduce(&own, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return least != 0;
  }

  void all_went_the_same_way(const Comm& comm) {
    std::string way = (last_was_planned() ? "" : "native: ") + last_text();
    // Along which tree, its root alone knows; the others go by what it says.
    if (way.ends_with("by counts")) way = "by counts";
    const std::uint64_t hash = std::hash<std::string>()(way);
    const std::uint64_t both[2] = {hash, ~hash};
    std::uint64_t least[2] = {0, 0};
    PMPI_Allreduce(both, least, 2, MPI_UINT64_T, MPI_MIN, comm.beside);
    failures_.expect(least[0] == ~least[1], "ranks went different ways: here " + way);
    ways_.insert(way);
  }

  Random random_;
  std::uint64_t kinds_;
  int rank_ = 0, size_ = 1;
  std::vector<Comm> comms_;
  std::set<std::string> ways_;
  Failures failures_;
};

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::uint64_t seed = 1;
  int calls = 3000, comms = 5, kinds = 5, seconds = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seed") == 0) seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--calls") == 0) calls = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--comms") == 0) comms = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--kinds") == 0) kinds = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--seconds") == 0) seconds = std::atoi(argv[i + 1]);
  }
  int code = 0;
  {
    espalier::mpi_test::Trials trials(seed, comms, static_cast<std::uint64_t>(kinds));
    code = trials.run(calls, seconds);
  }
  MPI_Finalize();
  return code;
}
