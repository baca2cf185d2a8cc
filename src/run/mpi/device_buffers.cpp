#include "mpi/device_buffers.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <string_view>

#include "mpi/mpi_api.hpp"
#include "mpi/mpi_traits.hpp"

namespace espalier::mpi {
namespace {

/// Extensions of Open MPI and others. None has arguments; 1 means yes.
constexpr const char* kDeviceQueries[] = {"MPIX_Query_cuda_support", "MPIX_Query_rocm_support",
                                          "MPIX_Query_hip_support", "MPIX_Query_ze_support"};

/// MPICH's since 4.0, for the kinds 0 to 2 of devices. Those above end programs in MPICH 3.4, where
/// they assert the opposite of what they mean.
constexpr const char* kQueryOfMpich = "MPIX_GPU_query_support";
constexpr int kKindsOfDevices = 3;

bool mpich_says_yes(void* library) {
  void* const address = dlsym(library, kQueryOfMpich);
  if (address == nullptr) return false;
  const auto query = reinterpret_cast<int (*)(int, int*)>(address);
  for (int kind = 0; kind < kKindsOfDevices; ++kind) {
    int answer = 0;
    if (query(kind, &answer) == MPI_SUCCESS && answer != 0) return true;
  }
  return false;
}

bool says_yes(void* library) {
  if constexpr (kNativeMpi == select::NativeMpi::Mpich) return mpich_says_yes(library);
  for (const char* const name : kDeviceQueries) {
    void* const address = dlsym(library, name);
    if (address != nullptr && reinterpret_cast<int (*)()>(address)() == 1) return true;
  }
  return false;
}

/// Libraries that programs with buffers on devices have loaded. An MPI may take such buffers and
/// not say so, by way of the library that it sends with.
int is_of_devices(dl_phdr_info* info, std::size_t /*size*/, void* found) {
  std::string_view name = info->dlpi_name != nullptr ? info->dlpi_name : "";
  name.remove_prefix(name.rfind('/') + 1);
  for (const std::string_view one : {"libcuda.so", "libamdhip64.so", "libze_loader.so"}) {
    if (name.starts_with(one)) *static_cast<bool*>(found) = true;
  }
  return 0;
}

/// Whether a device may be on this host at all: Debian 13's MPIs load such libraries everywhere.
bool has_device_files() {
  for (const char* const file : {"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvhost-ctrl-gpu",
                                 "/dev/nvmap", "/dev/kfd", "/dev/dxg", "/dev/accel"}) {
    if (::access(file, F_OK) == 0) return true;
  }
  constexpr std::string_view kRender = "renderD";
  DIR* const folder = ::opendir("/dev/dri");
  if (folder == nullptr) return false;
  bool found = false;
  while (const dirent* const entry = ::readdir(folder)) {
    found = found || std::string_view(entry->d_name).starts_with(kRender);
  }
  ::closedir(folder);
  return found;
}

bool has_library_of_devices() {
  bool found = false;
  dl_iterate_phdr(is_of_devices, &found);
  return found;
}

}  // namespace

bool takes_device_buffers() {
  if ((has_library_of_devices() && has_device_files()) || says_yes(RTLD_DEFAULT)) return true;
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
