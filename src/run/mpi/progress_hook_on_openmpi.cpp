#include <dlfcn.h>

#include "mpi/mpi_api.hpp"
#include "mpi/progress_hook.hpp"

namespace espalier::mpi {
namespace {

using Callback = int (*)();
void (*the_work)() = nullptr;

int call_work() {
  the_work();
  return 0;  // events that Open MPI counts; it yields its core where there are none
}

/// Of the Open MPI that this process runs with, also where its libraries are not visible to all.
int (*find_register())(Callback) {
  Dl_info found{};
  if (dladdr(reinterpret_cast<void*>(&PMPI_Wait), &found) == 0) return nullptr;
  void* const library = dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* const address = dlsym(library, "opal_progress_register");
  dlclose(library);  // the program holds it
  return reinterpret_cast<int (*)(Callback)>(address);
}

}  // namespace

bool has_progress_hook() { return find_register() != nullptr; }

void set_progress_hook(void (*work)()) {
  the_work = work;
  find_register()(call_work);
}

// It looks at the requests that it waits for.
void tell_completion() {}

}  // namespace espalier::mpi
