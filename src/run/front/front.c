/* Where the calls of a program go: to the variant for its MPI, or past us.
 *
 *   unknown --first call--> served   the wrappers of a variant; what it does not wrap is native
 *                      +--> native   the next definition of each function, as if we were not there
 *                      +--> several  as native, but looked up for each call by who makes it
 *   served --withdraw()--> native    the variant found that it does not fit this MPI
 *
 * As long as there is no MPI it stays unknown, and calls are native. */
#define _GNU_SOURCE
#include "front/front.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/decline.h"
#include "front/find_mpi.h"
#include "front/narrow.h"
#include "front/sign.h"
#include "front/variant.h"

enum State { Unknown, Served, Native, Several };
static _Atomic(enum State) the_state = Unknown;
static pthread_mutex_t the_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct espalier_mpi the_mpi;
static enum espalier_interface the_interface = ESPALIER_NO_INTERFACE;
static const struct espalier_variant* the_variant;

static int is_set(const char* name) {
  const char* value = getenv(name);
  return value != NULL && *value != '\0' && strcmp(value, "0") != 0;
}

/* One line, and only if somebody asked. */
static void tell_from_here(const char* what, const char* which) {
  if (!is_set("ESPALIER_LOG") && !is_set("ESPALIER_EXPLAIN")) return;
  fprintf(stderr, "espalier: %s%s; using native collectives\n", what, which);
}

/* One rank prints this. */
static void tell(const char* what, const char* which) {
  static const char* const kRanks[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                       "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof kRanks / sizeof *kRanks; ++i) {
    if (is_set(kRanks[i])) return;
  }
  tell_from_here(what, which);
}

/* The first rank of each node prints this: what is installed may differ there. */
static void tell_of_node(const char* what, const char* which) {
  static const char* const kLocalRanks[] = {"MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK",
                                            "SLURM_LOCALID"};
  for (size_t i = 0; i < sizeof kLocalRanks / sizeof *kLocalRanks; ++i) {
    const char* rank = getenv(kLocalRanks[i]);
    if (rank != NULL && strcmp(rank, "0") == 0) return tell_from_here(what, which);
  }
  tell(what, which);
}

/* What comes behind the front in the order of the loader: evaluated here. */
static void* next_in_sight(const char* name) { return dlsym(RTLD_NEXT, name); }

static int compare_strings(const void* name, const void* entry) {
  return strcmp(name, *(const char* const*)entry);
}

/* What stands for a function that nobody defines. */
static void* substitute_for(const char* name, void* const* substitutes) {
  const char* const* entry =
      bsearch(name, espalier_names, espalier_entry_count, sizeof *espalier_names, compare_strings);
  return entry == NULL ? NULL : substitutes[entry - espalier_names];
}

/* Looks in the order of the loader: what all see comes before what the caller alone sees. */
static void* defined_for(const void* caller, const char* name) {
  void* found = next_in_sight(name);
  if (found == NULL && the_mpi.handle != NULL) found = dlsym(the_mpi.handle, name);
  return found != NULL ? found : espalier_find_beside(caller, name);
}

/* Open MPI calls it MPIX_Bcast_init up to 4.1, MPI_Bcast_init since 5.0. */
static void* next_for(const void* caller, const char* name) {
  void* found = defined_for(caller, name);
  const size_t length = strlen(name);
  if (found == NULL && length > 5 && strcmp(name + length - 5, "_init") == 0) {
    char other[64];
    const int is_extension = strncmp(name, "MPIX_", 5) == 0;
    if (!is_extension && strncmp(name, "MPI_", 4) != 0) return NULL;
    snprintf(other, sizeof other, "%s%s", is_extension ? "MPI_" : "MPIX_",
             name + (is_extension ? 5 : 4));
    found = defined_for(caller, other);
  }
  return found;
}
void* espalier_native(const char* name) { return defined_for(NULL, name); }
int espalier_counts_cart_first(void) { return espalier_native("ompi_mpi_comm_world") != NULL; }

/* A substitute calls the function without _c, which must be there. */
static void* next_function(const char* name) {
  void* found = next_for(NULL, name);
  char narrow[64];
  if (found != NULL || strlen(name) >= sizeof narrow || strlen(name) < 2) return found;
  snprintf(narrow, sizeof narrow, "%.*s", (int)strlen(name) - 2, name);
  void* substitute = substitute_for(name, espalier_native_substitutes);
  return substitute != NULL && espalier_native(narrow) != NULL ? substitute : NULL;
}

static void forget_functions(void) {
  for (size_t i = 0; i < espalier_entry_count; ++i) {
    __atomic_store_n(&espalier_slots[i], espalier_first_slots[i], __ATOMIC_RELAXED);
  }
}

static void withdraw(const char* why) {
  if (why != NULL) tell(why, "");
  atomic_store(&the_state, Native);
  forget_functions();
}

static const struct espalier_front_services kServices = {next_function, withdraw};

/* The variants lie beside the front: beside the file itself, where it was named by a link; and
 * where it was when it was loaded, which a relative name does not tell later. */
static int path_of_variant(enum espalier_interface interface, char* path, size_t room) {
  static const char* const kNames[] = {"", "mpich", "openmpi", "mpiabi"};
  Dl_info own;
  char origin[PATH_MAX], named[2 * PATH_MAX], file[PATH_MAX];
  if (dladdr((const void*)&espalier_resolve, &own) == 0) return 0;
  void* handle = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == NULL || dlinfo(handle, RTLD_DI_ORIGIN, origin) != 0) return 0;
  const char* slash = strrchr(own.dli_fname, '/');
  snprintf(named, sizeof named, "%s/%s", origin, slash == NULL ? own.dli_fname : slash + 1);
  if (realpath(named, file) == NULL) return 0;
  const int folder = (int)(strrchr(file, '/') + 1 - file);
  const int length =
      snprintf(path, room, "%.*s" ESPALIER_VARIANT_PREFIX "%s.so", folder, file, kNames[interface]);
  return length > 0 && (size_t)length < room;
}

static const struct espalier_variant* open_variant(enum espalier_interface interface) {
  char path[PATH_MAX];
  if (!path_of_variant(interface, path, sizeof path)) return NULL;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    tell_of_node("", dlerror());
    return NULL;
  }
  const struct espalier_variant* variant = dlsym(library, ESPALIER_VARIANT_SYMBOL);
  const char* wrong = "";
  if (variant == NULL || variant->protocol != ESPALIER_FRONT_PROTOCOL ||
      strcmp(variant->version, ESPALIER_VERSION) != 0) {
    tell_of_node("another version of Espalier: ", path);
  } else if (!espalier_is_bound_to(library, &the_mpi, &wrong)) {
    tell("another library defines a function of this MPI: ", wrong);
  } else {
    return variant;
  }
  dlclose(library);
  return NULL;
}

/* Another copy of this library may come before us, of a module and of `espalier run`: that one
 * serves, and what it hands on is native. */
static int is_first_copy(void) {
  const void* first = dlsym(RTLD_DEFAULT, espalier_mark);
  return first == NULL || first == espalier_own_mark;
}

static enum State decide(const void* caller) {
  if (!is_first_copy()) return Native;
  if (espalier_several_mpis()) {
    tell("several MPIs in one process", "");
    return Several;
  }
  the_mpi = espalier_find_mpi(caller);
  if (the_mpi.handle == NULL) return Unknown; /* the program may load one yet */
  char text[128];
  the_interface = espalier_interface_of(&the_mpi, text, sizeof text);
  if (the_interface == ESPALIER_NO_INTERFACE) {
    tell("there is no library for this MPI: ", text);
    return Native;
  }
  espalier_show_to_all(&the_mpi);
  the_variant = open_variant(the_interface);
  if (the_variant == NULL) return Native;
  the_variant->attach(&kServices);
  return Served;
}

static enum State state_for(const void* caller) {
  enum State state = atomic_load(&the_state);
  if (state != Unknown) return state;
  pthread_mutex_lock(&the_mutex);
  state = atomic_load(&the_state);
  if (state == Unknown) {
    state = decide(caller);
    atomic_store(&the_state, state);
    if (state == Served) forget_functions(); /* what was found before there was an MPI */
  }
  pthread_mutex_unlock(&the_mutex);
  return state;
}

static int compare_names(const void* name, const void* wrapper) {
  return strcmp(name, ((const struct espalier_wrapper*)wrapper)->name);
}

static void* wrapper_named(const char* name) {
  const struct espalier_wrapper* found = bsearch(name, the_variant->wrappers, the_variant->count,
                                                 sizeof *the_variant->wrappers, compare_names);
  return found == NULL ? NULL : found->function;
}

/* What programs ask of Espalier itself, where it does nothing. */
static uint64_t count_nothing(const char* name) {
  (void)name;
  return 0;
}
static const char* say_nothing(int* planned) {
  *planned = 0;
  return "";
}
static int not_there(void) { return 1; /* ESPALIER_NO_LIBRARY */ }
static void* own_function(const char* name) {
  if (strcmp(name, "espalier_query_count") == 0) return (void*)&count_nothing;
  if (strcmp(name, "espalier_query_last") == 0) return (void*)&say_nothing;
  return strncmp(name, "espalier_", 9) == 0 ? (void*)&not_there : NULL;
}

void* espalier_resolve(size_t entry, const void* caller) {
  const char* name = espalier_names[entry];
  const enum State state = state_for(caller);
  void* found = state == Served ? wrapper_named(name) : own_function(name);
  int is_lasting = state == Served || state == Native;
  if (found == NULL && state == Unknown) {
    /* A library that stands for an MPI in programs of one process: all see it, now and later. */
    found = next_in_sight(name);
    is_lasting = found != NULL;
  }
  if (found == NULL) found = next_for(caller, name);
  if (found == NULL) found = substitute_for(name, espalier_substitutes);
  if (found == NULL) {
    fprintf(stderr, "espalier: no MPI library in this process defines %s\n", name);
    abort();
  }
  /* A withdrawal in between wins: it comes from the thread that is in MPI_Init. */
  if (is_lasting && atomic_load(&the_state) == state) {
    __atomic_store_n(&espalier_slots[entry], found, __ATOMIC_RELAXED);
  }
  return found;
}

void espalier_after_init(void) {
  /* The recorder is preloaded beside the library, and is no sign of it. */
  if (!espalier_records) espalier_leave_sign();
  static atomic_flag is_done = ATOMIC_FLAG_INIT;
  const int could_serve = the_interface != ESPALIER_NO_INTERFACE && the_variant == NULL;
  if (!could_serve || !espalier_is_initialized(&the_mpi) || atomic_flag_test_and_set(&is_done)) {
    return;
  }
  espalier_decline(&the_mpi, the_interface);
}
