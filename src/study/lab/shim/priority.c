/* Ranks go before what is no rank, while they are ranks. */
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>

#include "lab/shim/shim.h"

int shim_is_running;
int shim_is_finalizing;

/* The kernel's caps do not hold for such priorities. */
static int is_capped(void) {
  const EspalierRankCell *cell = shim_cell();
  return cell != NULL && __atomic_load_n(&cell->cpu_permille, __ATOMIC_RELAXED) < 1000 &&
         __atomic_load_n(&cell->cpu_by_library, __ATOMIC_RELAXED) == 0;
}

/* A rank that has something to do goes before everything that is not a rank, as it would on a
 * computer of its own. Round robin among ranks; where it is not permitted all goes on without.
 * All threads alike: one of UCX's holds spin locks that the main thread would spin on for ever. */
static void set_priority(int on) {
  if (shim_number_in("ESPALIER_LAB_PRIORITY", 0) <= 0 || is_capped()) return;
  const struct sched_param priority = {.sched_priority = on ? 1 : 0};
  DIR *threads = opendir("/proc/self/task");
  if (threads == NULL) return;
  for (struct dirent *entry = readdir(threads); entry != NULL; entry = readdir(threads)) {
    const pid_t thread = atoi(entry->d_name);
    if (thread > 0) (void)sched_setscheduler(thread, on ? SCHED_RR : SCHED_OTHER, &priority);
  }
  closedir(threads);
}

static void has_started(void) {
  shim_is_running = 1;
  set_priority(1);
  shim_start_paying();
  shim_begin_life();
}

static void will_end(void) {
  shim_is_running = 0;
  shim_is_finalizing = 1;
  shim_end_life();
  set_priority(0);
}

VISIBLE int MPI_Init(int *argc, char ***argv);
VISIBLE int MPI_Init(int *argc, char ***argv) {
  __typeof__(&MPI_Init) const next = NEXT(MPI_Init);
  const int code = next(argc, argv);
  has_started();
  return code;
}

VISIBLE int MPI_Init_thread(int *argc, char ***argv, int wanted, int *given);
VISIBLE int MPI_Init_thread(int *argc, char ***argv, int wanted, int *given) {
  __typeof__(&MPI_Init_thread) const next = NEXT(MPI_Init_thread);
  const int code = next(argc, argv, wanted, given);
  has_started();
  return code;
}

VISIBLE int MPI_Finalize(void);
VISIBLE int MPI_Finalize(void) {
  __typeof__(&MPI_Finalize) const next = NEXT(MPI_Finalize);
  will_end();
  return next();
}

/* MPICH's Fortran 2008 module calls PMPI_Finalize, past the wrapper above. */
VISIBLE void mpi_finalize_f08_(int *code);
VISIBLE void mpi_finalize_f08_(int *code) {
  __typeof__(&mpi_finalize_f08_) const next = NEXT(mpi_finalize_f08_);
  will_end();
  next(code);
}
