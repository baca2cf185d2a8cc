#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

// The preloaded library's answers; the tests are not linked with it.
extern "C" {
__attribute__((weak)) std::uint64_t espalier_query_count(const char* name);
__attribute__((weak)) const char* espalier_query_last(int* planned);
}

namespace espalier::mpi_test {

/// How many checks failed on this rank; the first few are printed.
class Failures {
 public:
  void expect(bool holds, const std::string& what) {
    if (holds) return;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (++count_ <= 5) std::fprintf(stderr, "FAILED on rank %d: %s\n", rank, what.c_str());
  }
  [[nodiscard]] int count() const { return count_; }
  /// The sum over all ranks, for the exit code.
  [[nodiscard]] int everywhere() const {
    int sum = 0;
    PMPI_Allreduce(&count_, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
  }
  /// What the program returns: 0 if no check failed on any rank.
  [[nodiscard]] int exit_code() const { return everywhere() == 0 ? 0 : 1; }

 private:
  int count_ = 0;
};

inline bool library_is_there() { return espalier_query_last != nullptr; }
inline bool last_was_planned() {
  int planned = 0;
  espalier_query_last(&planned);
  return planned != 0;
}
inline std::string last_text() {
  int planned = 0;
  return espalier_query_last(&planned);
}

/// The whole of a test program: MPI_Init, `run`, MPI_Finalize. Returns what `run` returns.
/// @param run takes the arguments that MPI_Init left, or none
template <typename Run>
int under_mpi(int argc, char** argv, Run run) {
  MPI_Init(&argc, &argv);
  int code = 0;
  if constexpr (std::is_invocable_v<Run>) {
    code = run();
  } else {
    code = run(argc, argv);
  }
  // What is forgiven may come after the checks only (launch.py).
  if (code == 0 && std::getenv("LAUNCH_FORGIVES") != nullptr) {
    std::puts("all checked");
    std::fflush(stdout);
  }
  MPI_Finalize();
  return code;
}

/// The number after "--name" among the arguments.
inline std::uint64_t option(int argc, char** argv, const std::string& name, std::uint64_t usual) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (name == argv[i]) return std::strtoull(argv[i + 1], nullptr, 10);
  }
  return usual;
}

}  // namespace espalier::mpi_test
