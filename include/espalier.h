/* Topology for applications: which processes are near which, as Espalier's preloaded library sees
 * it; and communicators without plans.
 *
 * A header alone: nothing of Espalier is linked. Without the library (or switched off) all
 * processes stand on one level, and the functions say ESPALIER_NO_LIBRARY.
 *
 * A process has a depth, its number of levels, and a colour for each level 0 .. depth - 1, level 0
 * the slowest: processes with the same colour at a level reach each other over it or over a faster
 * one. So at level 0 all have the same, and the last colour is that of the innermost cluster (a
 * node, or what hwloc shows inside). Colours are those of the whole machine: they mean the same in
 * every communicator, and suit MPI_Comm_split. (Depths and colours: N. Karonis, B. de Supinski,
 * I. Foster, W. Gropp, E. Lusk, J. Bresnahan, "Exploiting hierarchy in parallel computer networks
 * to optimize collective operation performance", IPDPS 2000.)
 *
 * A machine that is not described (ESPALIER_MACHINE) is found by espalier_discover(), or in a
 * collective call on all processes; before that the other functions say ESPALIER_UNKNOWN_MACHINE.
 * With ESPALIER_DISCOVER=0 nothing is measured: it is the nodes that MPI tells apart, with the
 * figures of an ordinary cluster. Fortran: espalier.f90.
 */
#ifndef ESPALIER_H
#define ESPALIER_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  ESPALIER_OK = 0,
  ESPALIER_NO_LIBRARY = 1,
  ESPALIER_UNKNOWN_MACHINE = 2,
  /* An intercommunicator, or processes that are not in MPI_COMM_WORLD (spawned ones). */
  ESPALIER_OTHER_PROCESSES = 3
};

/* Weak: 0 without the library. On x86-64 also by the GOT: where code is not position independent
 * (-fno-pie, the default of some compilers), the linker would set them to 0 for good. */
#ifdef __has_attribute
#if defined(__x86_64__) && __has_attribute(noplt)
#define ESPALIER_WEAK __attribute__((weak, noplt))
#endif
#endif
#ifndef ESPALIER_WEAK
#define ESPALIER_WEAK __attribute__((weak))
#endif

/* The library's own; use the functions below. */
ESPALIER_WEAK int espalier_topology_discover_(void);
ESPALIER_WEAK int espalier_topology_levels_(MPI_Fint comm, int* levels);
ESPALIER_WEAK int espalier_topology_depths_(MPI_Fint comm, int* depths);
ESPALIER_WEAK int espalier_topology_colors_(MPI_Fint comm, int levels, int* colors);
ESPALIER_WEAK int espalier_topology_attach_(MPI_Fint comm, int* keyvals);

/* Has the machine found and measured now, unless it is known. Collective over MPI_COMM_WORLD. */
static inline int espalier_discover(void) {
  return espalier_topology_discover_ ? espalier_topology_discover_() : ESPALIER_NO_LIBRARY;
}

/* The greatest depth of a communicator's processes. This and what follows is local. */
static inline int espalier_topology_levels(MPI_Comm comm, int* levels) {
  *levels = 1;
  return espalier_topology_levels_ ? espalier_topology_levels_(MPI_Comm_c2f(comm), levels)
                                   : ESPALIER_NO_LIBRARY;
}

/* depths[rank], for each rank of the communicator. */
static inline int espalier_topology_depths(MPI_Comm comm, int* depths) {
  int size = 0, rank;
  MPI_Comm_size(comm, &size);
  for (rank = 0; rank < size; ++rank) depths[rank] = 1;
  return espalier_topology_depths_ ? espalier_topology_depths_(MPI_Comm_c2f(comm), depths)
                                   : ESPALIER_NO_LIBRARY;
}

/* colors[rank * levels + level], for each rank of the communicator and level < levels;
 * MPI_UNDEFINED where a rank has no such level. */
static inline int espalier_topology_colors(MPI_Comm comm, int levels, int* colors) {
  int size = 0, i;
  MPI_Comm_size(comm, &size);
  for (i = 0; i < size * levels; ++i) colors[i] = i % levels == 0 ? 0 : MPI_UNDEFINED;
  return espalier_topology_colors_ ? espalier_topology_colors_(MPI_Comm_c2f(comm), levels, colors)
                                   : ESPALIER_NO_LIBRARY;
}

/* Attaches depths and colours to a communicator as attributes, for any library in the process that
 * has the communicator and the two keyvals, which are the same for all communicators:
 *
 *   int* depths;    MPI_Comm_get_attr(comm, depths_keyval, &depths, &flag);  depths[rank]
 *   int** colors;   MPI_Comm_get_attr(comm, colors_keyval, &colors, &flag);  colors[rank][level]
 *
 * A rank has colours for level < depths[rank]. The arrays belong to the attribute: they stay until
 * the communicator is freed or this is called for it again, as after espalier_discover(). Copies
 * that MPI_Comm_dup makes have the attributes too. Unless it returns ESPALIER_OK, nothing is
 * attached, and both keyvals are MPI_KEYVAL_INVALID. */
static inline int espalier_topology_attach(MPI_Comm comm, int* depths_keyval, int* colors_keyval) {
  int keyvals[2] = {MPI_KEYVAL_INVALID, MPI_KEYVAL_INVALID};
  const int status = espalier_topology_attach_
                         ? espalier_topology_attach_(MPI_Comm_c2f(comm), keyvals)
                         : ESPALIER_NO_LIBRARY;
  *depths_keyval = keyvals[0];
  *colors_keyval = keyvals[1];
  return status;
}

/* Leaves all calls on a communicator to the MPI library (0), or has them planned again (1);
 * collective over it, 0 on one rank is for all. It is the info key "espalier", which other
 * libraries ignore. Gives MPI's code. */
static inline int espalier_use_plans(MPI_Comm comm, int yes) {
  MPI_Info info;
  int code = MPI_Info_create(&info);
  if (code != MPI_SUCCESS) return code;
  MPI_Info_set(info, "espalier", yes ? "on" : "off");
  code = MPI_Comm_set_info(comm, info);
  MPI_Info_free(&info);
  return code;
}

#ifdef __cplusplus
}
#endif

#endif
