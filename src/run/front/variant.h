/* What the front library and its variants (one for each binary interface of MPI) know of each
 * other.
 *
 * The front is preloaded or linked. It exports every wrapped function and depends on no MPI. A
 * variant holds the wrappers; the front opens it once the MPI of the process is known, so that the
 * PMPI_* functions that the variant leaves undefined are those of that MPI. */
#ifndef ESPALIER_FRONT_VARIANT_H
#define ESPALIER_FRONT_VARIANT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever the structures below do. */
#define ESPALIER_FRONT_PROTOCOL 2

/* What the front does for a variant. */
struct espalier_front_services {
  /* The definition of a function that would be called if the front were not there: another
   * preload's, or the MPI's. 0: nobody defines it. */
  void* (*next)(const char* name);
  /* Every call is native from now on. `why` is one line for the user, or 0. */
  void (*withdraw)(const char* why);
};

struct espalier_wrapper {
  const char* name;
  void* function;
};

/* The one symbol that a variant exports. */
struct espalier_variant {
  unsigned protocol;
  const char* version;                     /* version of Espalier; must equal the front's */
  const struct espalier_wrapper* wrappers; /* sorted by strcmp() */
  size_t count;
  void (*attach)(const struct espalier_front_services* services);
};
#define ESPALIER_VARIANT_SYMBOL "espalier_variant_table"

/* The roll call behind MPI_Init (mpi/roll_call.hpp). A front without its variant takes part too.
 * All processes find the least of each of these 64-bit numbers; few processes also tell where
 * each runs. Number 6 is one of ESPALIER_ABSENT, ESPALIER_UNFIT and ESPALIER_FIT. These numbers
 * stay where they are, so that other versions can be told apart. */
#define ESPALIER_ROLL_CALL_NUMBERS 10
/* Changes whenever messages of ours, or the calls in which they are sent, do. */
#define ESPALIER_ROLL_CALL_PROTOCOL 2
#define ESPALIER_ROLL_CALL_FEW 64
#define ESPALIER_ROLL_CALL_PLACE 3 /* numbers that tell where a process runs */
#define ESPALIER_ROLL_CALL_MOST \
  (ESPALIER_ROLL_CALL_NUMBERS + ESPALIER_ROLL_CALL_FEW * ESPALIER_ROLL_CALL_PLACE)
#define ESPALIER_ABSENT 0 /* this process has no variant */
#define ESPALIER_UNFIT 1  /* its MPI is not the one that the variant was built with */
#define ESPALIER_FIT 2

/* Behind MPI_Init, all processes that record find the least of each of these numbers. */
enum espalier_profile_numbers {
  ESPALIER_PROFILE_FIT,    /* 1: this process can record */
  ESPALIER_PROFILE_FIRST,  /* 0: this is rank 0, and it was told of no file */
  ESPALIER_PROFILE_NOBODY, /* 0: this process was told of a file */
  ESPALIER_PROFILE_NUMBERS
};
#define ESPALIER_PROFILE_NOT_ON_FIRST                                                              \
  "espalier: no profile is recorded: ESPALIER_PROFILE is not set on rank 0; hint: what rank 0 is " \
  "told holds for all\n"

/* What rank 0 says of a recording that a process cannot take part in. */
#define ESPALIER_NO_PROFILE                                                                      \
  "espalier: no profile is recorded: some process finds no library of Espalier for its MPI, or " \
  "one that does not fit; ESPALIER_LOG=1 tells more\n"

#ifdef __cplusplus
}
#endif

#endif
