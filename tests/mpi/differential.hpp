#pragma once

// What programs share that run random calls through MPI_X (interposed) and PMPI_X (native) and
// compare the two. Ranks draw the same numbers, so they make the same calls.
#include <cmath>
#include <cstring>

#include "mpi/operations.hpp"

namespace espalier::mpi_test {

struct Comm {
  MPI_Comm handle;
  int rank, size;
};

class Differential {
 public:
  Differential(std::uint64_t seed, std::uint64_t max_count)
      : types_(make_types()), operations_(make_operations()), max_count_(max_count) {
    add(MPI_COMM_WORLD);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Random shared(seed);
    for (int i = 0; i < 4; ++i) {  // parts, in any order
      const std::uint64_t colours = 1 + shared.below(3);
      const std::uint64_t key = shared.next();
      Random own(key + static_cast<std::uint64_t>(rank));
      MPI_Comm part = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(own.below(colours)),
                     static_cast<int>(own.below(1000)), &part);
      add(part);
    }
  }
  ~Differential() {
    for (std::size_t i = 1; i < comms_.size(); ++i) MPI_Comm_free(&comms_[i].handle);
  }
  Differential(const Differential&) = delete;
  Differential& operator=(const Differential&) = delete;

  [[nodiscard]] const Failures& failures() const { return failures_; }

 protected:
  int pick_count(Random& shared) const {
    switch (shared.below(8)) {
      case 0:
        return 0;
      case 1:
        return 1;
      case 2:
        return static_cast<int>(shared.below(max_count_));
      case 3:
        return static_cast<int>(2 * shared.below(200) + 1);
      default:
        return static_cast<int>(shared.below(40));
    }
  }
  static int pick_root(Random& shared, const Comm& comm) {
    return static_cast<int>(shared.below(static_cast<std::uint64_t>(comm.size)));
  }

  void expect_ok(int code, const std::string& what) {
    failures_.expect(code == MPI_SUCCESS, label_ + what + " returns an error");
  }
  void expect_planned(const Comm& comm, const std::string& what) {
    const bool is_exempt = comm.size == 1 && last_text() == "one process";
    failures_.expect(last_was_planned() || is_exempt,
                     label_ + what + " was native: " + last_text());
  }

  void compare(const TestOperation& operation, const Comm& comm, const std::vector<char>& ours,
               const std::vector<char>& theirs, const std::string& what) {
    if (operation.exactness == Exactness::Bits) {
      failures_.expect(ours == theirs, label_ + what + ": other bytes than native");
      return;
    }
    // Summands are below 701: n - 1 additions, each off by half an ulp of at most 701 n.
    const bool is_float = operation.exactness == Exactness::Float;
    const double epsilon = is_float ? std::pow(2.0, -24) : std::pow(2.0, -53);
    const double bound = 2 * epsilon * comm.size * 701.0 * comm.size;
    const double error =
        is_float ? largest_error<float>(ours, theirs) : largest_error<double>(ours, theirs);
    failures_.expect(error <= bound, label_ + what + ": off by " + std::to_string(error));
  }

  std::vector<TestType> types_;
  std::vector<TestOperation> operations_;
  std::vector<Comm> comms_;
  std::uint64_t max_count_;
  std::string label_;
  Failures failures_;

 private:
  void add(MPI_Comm handle) {
    Comm comm{handle, 0, 1};
    MPI_Comm_rank(handle, &comm.rank);
    MPI_Comm_size(handle, &comm.size);
    comms_.push_back(comm);
  }

  template <typename Float>
  static double largest_error(const std::vector<char>& ours, const std::vector<char>& theirs) {
    double largest = 0;
    for (std::size_t i = 0; i + sizeof(Float) <= ours.size(); i += sizeof(Float)) {
      Float a = 0, b = 0;
      std::memcpy(&a, ours.data() + i, sizeof a);
      std::memcpy(&b, theirs.data() + i, sizeof b);
      const double error = std::abs(static_cast<double>(a) - static_cast<double>(b));
      if (!(error <= largest)) largest = error;  // also if it is no number
    }
    return largest;
  }
};

/// The main function of such a program: Test(seed, max_count), run(seed) for each case.
template <typename Test>
int run_differential(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::uint64_t seed = option(argc, argv, "--seed", 1);
  const std::uint64_t cases = option(argc, argv, "--cases", 300);
  int rank = 0, size = 1, failed = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!library_is_there()) {
    std::fprintf(stderr, "the library is not preloaded\n");
  } else {
    Test test(seed / 1000, option(argc, argv, "--max-count", Test::kMaxCount));
    for (std::uint64_t i = 0; i < cases; ++i) test.run(seed + i);
    failed = test.failures().everywhere();
    if (rank == 0) {
      std::printf("%d ranks: %llu cases, %d failures\n", size,
                  static_cast<unsigned long long>(cases), failed);
    }
  }
  MPI_Finalize();
  return failed == 0 ? 0 : 1;
}

}  // namespace espalier::mpi_test
