#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "base/entropy.hpp"
#include "base/file_descriptor.hpp"
#include "mpi/world_nodes.hpp"

namespace espalier::mpi {
namespace {

struct Secret {
  char name[64] = "";
  std::uint64_t value = 0;
};

/// Whether the process may have files as long as the piece. Else the system would end it by a
/// signal.
bool may_have_piece() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         limit.rlim_cur >= sizeof(std::uint64_t);
}

/// Writes or reads the value in the shared piece; false if there is none. A piece that cannot be
/// written is not left behind.
bool use_piece(const char* name, int flags, std::uint64_t& value, bool write) {
  if (write && !may_have_piece()) return false;
  const int file = ::shm_open(name, flags, 0600);
  if (file < 0) return false;
  bool done = false;
  struct stat info {};
  const auto length = static_cast<off_t>(sizeof value);
  const bool is_long_enough = write ? allocate_file(file, sizeof value) == 0
                                    : ::fstat(file, &info) == 0 && info.st_size >= length;
  if (is_long_enough) {
    void* at = ::mmap(nullptr, sizeof value, write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
                      file, 0);
    if (at != MAP_FAILED) {
      auto* shared = static_cast<volatile std::uint64_t*>(at);
      if (write) {
        *shared = value;
      } else {
        value = *shared;
      }
      ::munmap(at, sizeof value);
      done = true;
    }
  }
  ::close(file);
  if (write && !done) ::shm_unlink(name);
  return done;
}

}  // namespace

bool shares_memory_with_first(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  Secret secret;
  if (rank == 0) {
    secret.value = fresh_number();
    std::snprintf(secret.name, sizeof secret.name, "/espalier-%d-%08x", ::getpid(),
                  static_cast<unsigned>(fresh_number()));
    if (!use_piece(secret.name, O_CREAT | O_EXCL | O_RDWR, secret.value, true)) {
      secret.name[0] = '\0';
    }
  }
  PMPI_Bcast(&secret, static_cast<int>(sizeof secret), MPI_BYTE, 0, comm);
  std::uint64_t found = 0;
  const bool shares =
      rank == 0 || (secret.name[0] != '\0' && use_piece(secret.name, O_RDONLY, found, false) &&
                    found == secret.value);
  PMPI_Barrier(comm);
  if (rank == 0 && secret.name[0] != '\0') ::shm_unlink(secret.name);
  return shares;
}

}  // namespace espalier::mpi
