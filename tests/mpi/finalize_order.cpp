// MPI_Finalize of one rank calls the program's delete functions of MPI_COMM_SELF while the others
// are not in MPI: they wait for what such a function does. No collective was called before.
#include <sys/stat.h>
#include <unistd.h>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

/// All ranks of a node have the same parent.
std::string flag_file() { return "/tmp/espalier-finalize-order-" + std::to_string(getppid()); }

bool is_there(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0;
}

int raise_flag(MPI_Comm /*comm*/, int /*keyval*/, void* /*value*/, void* /*state*/) {
  std::FILE* const file = std::fopen(flag_file().c_str(), "w");
  if (file != nullptr) std::fclose(file);
  return MPI_SUCCESS;
}

bool sees_flag() {
  for (int i = 0; i < 1500; ++i) {
    if (is_there(flag_file())) return true;
    usleep(10000);
  }
  return false;
}

int run() {
  Failures failures;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    failures.expect(sees_flag(), "MPI_Finalize of rank 0 waits for others");
    return failures.count();
  }
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, raise_flag, &keyval, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  MPI_Comm_free_keyval(&keyval);
  return 0;
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  int rank = 0;
  const int code = espalier::mpi_test::under_mpi(argc, argv, [&] {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return espalier::mpi_test::run();
  });
  // MPI_Finalize is no barrier: whoever comes last may still be looking for it.
  if (rank == 0) {
    sleep(1);
    unlink(espalier::mpi_test::flag_file().c_str());
  }
  return code;
}
