#include "mpi/device_buffers.hpp"

#include <dlfcn.h>

#include "mpi/mpi_api.hpp"

namespace espalier::mpi {
namespace {

/// Extensions of MPICH and Open MPI. None has arguments; 1 means yes.
constexpr const char* kDeviceQueries[] = {"MPIX_Query_cuda_support", "MPIX_Query_rocm_support",
                                          "MPIX_Query_hip_support", "MPIX_Query_ze_support"};

bool says_yes(void* library) {
  for (const char* const name : kDeviceQueries) {
    void* const address = dlsym(library, name);
    if (address != nullptr && reinterpret_cast<int (*)()>(address)() == 1) return true;
  }
  return false;
}

}  // namespace

bool takes_device_buffers() {
  if (says_yes(RTLD_DEFAULT)) return true;
  // Where the program's libraries are not visible to all.
  Dl_info found{};
  if (dladdr(reinterpret_cast<void*>(&PMPI_Wait), &found) == 0) return false;
  void* const library = dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return false;
  const bool answer = says_yes(library);
  dlclose(library);  // the program holds it
  return answer;
}

}  // namespace espalier::mpi
