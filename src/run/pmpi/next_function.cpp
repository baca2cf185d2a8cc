#include "pmpi/next_function.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace espalier::pmpi {
namespace {

/// Null where the runtime is linked into a program (SMPI).
constinit std::atomic<const espalier_front_services*> the_services{nullptr};

}  // namespace

void attach(const espalier_front_services* services) { the_services.store(services); }

void withdraw(const char* why) {
  const espalier_front_services* services = the_services.load();
  if (services != nullptr) services->withdraw(why);
}

void* look_up_next(const char* name) {
  const espalier_front_services* services = the_services.load();
  return services != nullptr ? services->next(name) : dlsym(RTLD_NEXT, name);
}

void nobody_defines(const char* name) {
  std::fprintf(stderr, "espalier: no MPI library in this process defines %s\n", name);
  std::abort();
}

}  // namespace espalier::pmpi
