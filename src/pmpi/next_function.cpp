#include "pmpi/next_function.hpp"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace espalier::pmpi {
namespace {

// The sonames of the other MPI: if one of them is in the process, it is not ours that runs. (Ours
// is always there, since we are linked with it.)
#if defined(OPEN_MPI_BUILD)
constexpr std::array kOthers{"libmpich.so.", "libmpi.so.12", "libmpi.so.0"};
#else
constexpr std::array kOthers{"libmpi.so.40", "libmpi.so.20", "libopen-pal.so.", "libopen-rte.so."};
#endif
constexpr std::array kFortran{"libmpichfort.so.12", "libmpi_mpifh.so.40", "libmpi_usempif08.so.40"};

/// The path of the other MPI's library, or an empty one.
struct Found {
  std::array<char, 4096> path{};
};

int look_at(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  const char* slash = std::strrchr(info->dlpi_name, '/');
  const std::string_view name = slash == nullptr ? info->dlpi_name : slash + 1;
  for (const std::string_view other : kOthers) {
    if (name.substr(0, other.size()) != other) continue;
    if (name.find("mpi") == std::string_view::npos) return 1;
    std::strncpy(static_cast<Found*>(data)->path.data(), info->dlpi_name, 4095);
    return 1;
  }
  return 0;
}

const Found& other_mpi() {
  static const Found kFound = [] {
    Found result;
    dl_iterate_phdr(look_at, &result);
    return result;
  }();
  return kFound;
}

/// A module of Python may bring MPI's Fortran library along for itself alone.
void* look_up_in_fortran(const char* name) {
  for (const char* library : kFortran) {
    void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    if (void* found = dlsym(handle, name)) return found;
  }
  return nullptr;
}

}  // namespace

bool find_out_which_mpi() {
  const bool ours = other_mpi().path[0] == '\0';
  which_mpi.store(ours ? WhichMpi::Ours : WhichMpi::Other, std::memory_order_relaxed);
  return ours;
}

void* look_up_next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (!is_our_mpi()) {
    // Our own MPI may stand before the other in the search order: name the other.
    if (void* handle = dlopen(other_mpi().path.data(), RTLD_LAZY | RTLD_NOLOAD)) {
      if (void* theirs = dlsym(handle, name)) found = theirs;
    }
  }
  return found != nullptr ? found : look_up_in_fortran(name);
}

void nobody_defines(const char* name) {
  std::fprintf(stderr, "espalier: no MPI library in this process defines %s\n", name);
  std::abort();
}

}  // namespace espalier::pmpi
