// How programs under MPICH say that they want no status.
#include <dlfcn.h>

#include "record/ignored_statuses.hpp"

namespace espalier::record {
namespace {

// Statuses of Fortran are C's, as integers: one kind of memory serves both.
static_assert(sizeof(MPI_Status) <= 64);
static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint));

/// mpi_f08's own address for "no status". It is in MPICH's library of C or of Fortran, as the
/// version has it; programs of C may do without the latter.
std::intptr_t ignored_by_f08(const char* name) {
  void* const address = dlsym(RTLD_DEFAULT, name);
  return address == nullptr ? 0 : *static_cast<const std::intptr_t*>(address);
}

}  // namespace

bool is_ignored_status(std::intptr_t address, Language language) {
  if (language == Language::C) {
    return address == in_register(MPI_STATUS_IGNORE) || address == in_register(MPI_STATUSES_IGNORE);
  }
  static const std::intptr_t one = ignored_by_f08("MPI_F08_STATUS_IGNORE");
  static const std::intptr_t many = ignored_by_f08("MPI_F08_STATUSES_IGNORE");
  return address == one || address == many || address == in_register(MPI_F_STATUS_IGNORE) ||
         address == in_register(MPI_F_STATUSES_IGNORE);
}

}  // namespace espalier::record
