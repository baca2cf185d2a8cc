// How programs under MPI 5's ABI say that they want no status. C alone is wrapped there.
#include "record/ignored_statuses.hpp"

namespace espalier::record {

static_assert(sizeof(MPI_Status) <= 64);

bool is_ignored_status(std::intptr_t address, Language language) {
  return language == Language::C &&
         (address == in_register(MPI_STATUS_IGNORE) || address == in_register(MPI_STATUSES_IGNORE));
}

}  // namespace espalier::record
