// What the front library makes of a process: says how its calls ran and which MPI libraries are in
// it.
//
//   front_probe [LIBRARY]   LIBRARY: another one that is loaded first; with -DPLUGIN the function
//   alone
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void tell_libraries(void) {
  char line[4096], last[4096] = "";
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    const char* slash = strrchr(line, '/');
    if (slash == NULL ||
        (strncmp(slash, "/libmpi.so", 10) != 0 && strncmp(slash, "/libmpich.so", 12) != 0))
      continue;
    if (strcmp(last, slash) == 0) continue;
    strcpy(last, slash);
    printf("mapped %s", slash + 1);
  }
  if (maps != NULL) fclose(maps);
}

int probe(void) {
  int one = 1, sum = 0, size = 0;
  if (getenv("PROBE_ELSEWHERE") != NULL && chdir("/") != 0) return 1;
  MPI_Init(NULL, NULL);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 3; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  uint64_t (*count)(const char*) =
      (uint64_t(*)(const char*))dlsym(RTLD_DEFAULT, "espalier_query_count");
  printf("%s planned %d\n", sum == size ? "right" : "wrong",
         count == NULL ? -1 : (int)count("planned"));
  tell_libraries();
  return MPI_Finalize();
}

#ifndef PLUGIN
int main(int argc, char** argv) {
  if (argc > 1 && dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) == NULL) {
    puts(dlerror());
    return 1;
  }
  return probe();
}
#endif
