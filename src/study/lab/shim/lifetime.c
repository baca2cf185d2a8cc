/* How long each rank ran: a line "RANK NANOSECONDS" of the file that $ESPALIER_LAB_TIMES names.
 * From the end of MPI_Init to the beginning of MPI_Finalize: before and after that ranks have no
 * priority, and their time is the computer's. Where these are not seen (Fortran under Open MPI),
 * from the loading of this library to the end of the process. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/shim/shim.h"

static int64_t began, ended;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

__attribute__((constructor(101))) void shim_begin_life(void) { began = now(); }
void shim_end_life(void) { ended = now(); }

/* One write for each line, at the end of the file: lines of several processes do not mix. */
__attribute__((destructor)) static void tell_life(void) {
  const char *path = getenv("ESPALIER_LAB_TIMES");
  const long rank = shim_number_in("PMI_RANK", shim_number_in("OMPI_COMM_WORLD_RANK", -1));
  if (path == NULL || *path == '\0' || rank < 0) return;
  if (ended == 0) shim_end_life();
  char line[64];
  const int length = snprintf(line, sizeof line, "%ld %lld\n", rank, (long long)(ended - began));
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0) return;
  struct stat info;
  const int is_own = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid();
  if (is_own && write(fd, line, (size_t)length) != length) perror(path);
  close(fd);
}
