// Simulated times of the operations, mean over all roots, as lines of
//   operation,bytes,microseconds,right,planned,plan
// Ranks begin at the same moment; a call has ended when the last rank has. `right`: whether all
// data were right; `planned`: how many of its calls ran along a plan; `plan`: that of the last one.
#include <smpi/smpi.h>
#include <smpi/smpi_helpers_internal.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "mpi/harness.hpp"

namespace {

struct Operation {
  const char* name;
  bool has_root;
  bool has_data;
};
constexpr Operation kOperations[] = {{"broadcast", true, true},
                                     {"reduce", true, true},
                                     {"allreduce", false, true},
                                     {"barrier", false, false}};

class Timer {
 public:
  Timer() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  /// @param every of how many roots one is taken
  void measure(const Operation& operation, int bytes, int every) {
    call(operation, 0, bytes);  // some algorithms set themselves up in their first call
    call(operation, 0, bytes);
    double total = 0;
    int runs = 0, right = 1, planned = 0;
    for (int root = 0; root < (operation.has_root ? size_ : 1); root += every, ++runs) {
      const double begin = begin_together();
      const bool is_right = call(operation, root, bytes);
      double end = MPI_Wtime();
      if (espalier::mpi_test::last_was_planned()) ++planned;
      PMPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      total += end - begin;
      right &= is_right ? 1 : 0;
    }
    PMPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank_ != 0) return;
    std::printf("%s,%d,%.3f,%d,%d of %d,%s\n", operation.name, bytes, total / runs * 1e6, right,
                planned, runs, espalier::mpi_test::last_text().c_str());
    std::fflush(stdout);
  }

 private:
  /// A moment that is still to come for everybody; returns when it is there.
  static double begin_together() {
    double moment = MPI_Wtime();
    PMPI_Allreduce(MPI_IN_PLACE, &moment, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    moment = std::ceil(moment) + 1;
    const double wait = moment - MPI_Wtime();
    const timespec time{static_cast<time_t>(wait),
                        static_cast<long>((wait - std::floor(wait)) * 1e9)};
    smpi_nanosleep(&time, nullptr);
    return moment;
  }

  /// @return whether the data were right
  bool call(const Operation& operation, int root, int bytes) {
    const std::string name = operation.name;
    const auto n = static_cast<std::size_t>(bytes) / 8;
    const double all = size_ * (size_ + 1) / 2.0;
    if (name == "barrier") {
      MPI_Barrier(MPI_COMM_WORLD);
      return true;
    }
    std::vector<double> in(n, rank_ + 1), out(n);
    const auto is = [](const std::vector<double>& data, double wanted) {
      return std::all_of(data.begin(), data.end(), [wanted](double d) { return d == wanted; });
    };
    if (name == "broadcast") {
      MPI_Bcast(in.data(), static_cast<int>(n), MPI_DOUBLE, root, MPI_COMM_WORLD);
      return is(in, root + 1);
    }
    if (name == "reduce") {
      MPI_Reduce(in.data(), out.data(), static_cast<int>(n), MPI_DOUBLE, MPI_SUM, root,
                 MPI_COMM_WORLD);
      return rank_ != root || is(out, all);
    }
    MPI_Allreduce(in.data(), out.data(), static_cast<int>(n), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return is(out, all);
  }

  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

/// times [--every N] [--only OPERATION] BYTES...
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Timer timer;
  std::string only;
  std::vector<int> sizes;
  const int every = static_cast<int>(espalier::mpi_test::option(argc, argv, "--every", 1));
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] != '-') {
      sizes.push_back(std::atoi(argv[i]));
    } else if (++i < argc && std::string(argv[i - 1]) == "--only") {
      only = argv[i];
    }
  }
  for (const Operation& operation : kOperations) {
    if (!only.empty() && only != operation.name) continue;
    if (!operation.has_data) timer.measure(operation, 0, every);
    for (const int bytes : sizes) {
      if (operation.has_data) timer.measure(operation, bytes, every);
    }
  }
  MPI_Finalize();
  return 0;
}
