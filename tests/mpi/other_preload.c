// Another tool's preload, as profilers are made: counts and calls on.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

static int calls;

int MPI_Finalize(void) {
  int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "MPI_Finalize");
  fprintf(stderr, "other preload: MPI_Init seen %d times\n", calls);
  return next();
}

int MPI_Init(int *argc, char ***argv) {
  int (*next)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_NEXT, "MPI_Init");
  ++calls;
  return next(argc, argv);
}
