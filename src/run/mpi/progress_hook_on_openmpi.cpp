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
void* find_function(const char* name) {
  Dl_info found{};
  if (dladdr(reinterpret_cast<void*>(&PMPI_Wait), &found) == 0) return nullptr;
  void* const library = dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* const address = dlsym(library, name);
  dlclose(library);  // the program holds it
  return address;
}
int (*find_register())(Callback) {
  return reinterpret_cast<int (*)(Callback)>(find_function("opal_progress_register"));
}

}  // namespace

bool has_progress_hook() { return find_register() != nullptr; }

void set_progress_hook(void (*work)()) {
  the_work = work;
  find_register()(call_work);
}

// It looks at the requests that it waits for.
void tell_completion() {}

void drive_progress() {
  static const auto progress = reinterpret_cast<void (*)()>(find_function("opal_progress"));
  if (progress != nullptr) progress();
}

bool may_hook_among_threads() { return true; }

}  // namespace espalier::mpi
