// How programs under Open MPI say that they want no status.
#include "record/ignored_statuses.hpp"

namespace espalier::record {

// Statuses of Fortran are C's, as integers: one kind of memory serves both.
static_assert(sizeof(MPI_Status) <= 64);

bool is_ignored_status(std::intptr_t address, Language language) {
  if (language == Language::C) {
    return address == in_register(MPI_STATUS_IGNORE) || address == in_register(MPI_STATUSES_IGNORE);
  }
  return address == in_register(MPI_F_STATUS_IGNORE) ||
         address == in_register(MPI_F_STATUSES_IGNORE);
}

}  // namespace espalier::record
