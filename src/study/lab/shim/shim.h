/* Preloaded into the ranks of a lab, where many of them share few cores.
 *
 * waiting.c   waiting ranks sleep
 * priority.c  ranks go before what is no rank, between MPI_Init and MPI_Finalize
 * finalize.c  MPICH 4.0 does not hang in MPI_Finalize
 * sending.c   slow ranks: sends over the network cost time
 * computing.c slow ranks: computing takes longer, where the kernel does not see to that
 * cell.c      how slow this rank is at the moment
 * lifetime.c  how long each rank ran, if somebody asks
 *
 * No <mpi.h>: one library for both MPIs, and for programs of neither.
 */
#ifndef ESPALIER_LAB_SHIM_H
#define ESPALIER_LAB_SHIM_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "lab/rank_cell.h"

#define VISIBLE __attribute__((visibility("default")))

/* The function of this name behind ours: the library's own, or that of another preload. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

extern int shim_is_running;    /* between MPI_Init and MPI_Finalize */
extern int shim_is_finalizing; /* from MPI_Finalize on */

const EspalierRankCell *shim_cell(void); /* NULL: nothing is said of this rank */
void shim_start_paying(void);            /* slows what is computed from now on */
void shim_begin_life(void);              /* the clock of lifetime.c */
void shim_end_life(void);

VISIBLE unsigned ucp_worker_progress(void *worker);

static inline long shim_number_in(const char *variable, long otherwise) {
  const char *text = getenv(variable);
  return text != NULL && *text != '\0' ? atol(text) : otherwise;
}

static inline struct timespec shim_timespec(int64_t ns) {
  const struct timespec span = {ns / 1000000000, ns % 1000000000};
  return span;
}

#endif
