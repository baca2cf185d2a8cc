/* Which MPI this process runs, found without loading any. */
#ifndef ESPALIER_FRONT_FIND_MPI_H
#define ESPALIER_FRONT_FIND_MPI_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>

enum espalier_interface {
  ESPALIER_NO_INTERFACE, /* none that there is a variant for */
  ESPALIER_MPICH,        /* MPICH, Intel MPI, MVAPICH: libmpich.so.12 or libmpi.so.12 */
  ESPALIER_OPEN_MPI,     /* Open MPI 4 and 5: libmpi.so.40 */
  ESPALIER_STANDARD      /* MPI 5's own: libmpi_abi.so.N */
};

/* The library that holds PMPI_Init. */
struct espalier_mpi {
  void* handle; /* handle of dlopen(); 0: there is no MPI */
  const char* file;
  const void* begin; /* where it is mapped, up to `end` */
  const void* end;
};

/* @param caller an address in the code that calls MPI: its own library's dependencies come first,
 *   since a module of Python may have loaded MPI for itself alone */
struct espalier_mpi espalier_find_mpi(const void* caller);

/* Whether there is more than one MPI in this process. */
int espalier_several_mpis(void);

/* The interface that the library says it has. @param text output: its version text, to be shown */
enum espalier_interface espalier_interface_of(const struct espalier_mpi* mpi, char* text, int room);

/* Lets libraries that are opened from now on find the MPI's functions. */
void espalier_show_to_all(const struct espalier_mpi* mpi);

/* A function that `caller` would find in the libraries which it came with, or that any MPI's
 * library in this process defines. */
void* espalier_find_beside(const void* caller, const char* name);

/* Whether all PMPI_* functions that an open library uses were found in this MPI. */
int espalier_is_bound_to(void* library, const struct espalier_mpi* mpi, const char** wrong);

/* An address from the dynamic section: the loader has made it one in memory, but not everywhere. */
static inline const void* espalier_address_in(const struct link_map* object, ElfW(Addr) value) {
  return (const void*)(value < object->l_addr ? value + object->l_addr : value);
}

#endif
