/* MPICH ends.
 *
 * In MPI_Finalize of MPICH 4.0 a rank that has closed its endpoints blocks in a read from its
 * process manager and makes no more progress in UCX, while ranks far away still wait for it: over a
 * real delay they hang. The read makes progress while it waits.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/shim/shim.h"

static void *worker; /* the first: MPICH has one */

VISIBLE int ucp_worker_create(void *context, const void *parameters, void **made);
VISIBLE int ucp_worker_create(void *context, const void *parameters, void **made) {
  __typeof__(&ucp_worker_create) const next = NEXT(ucp_worker_create);
  const int code = next(context, parameters, made);
  if (code == 0 && worker == NULL) worker = *made;
  return code;
}

VISIBLE void ucp_worker_destroy(void *gone);
VISIBLE void ucp_worker_destroy(void *gone) {
  __typeof__(&ucp_worker_destroy) const next = NEXT(ucp_worker_destroy);
  if (gone == worker) worker = NULL;
  next(gone);
}

static void progress_until_readable(int fd) {
  struct pollfd wanted = {fd, POLLIN, 0};
  const struct timespec span = shim_timespec(100000);
  while (worker != NULL && ppoll(&wanted, 1, &span, NULL) == 0) ucp_worker_progress(worker);
}

VISIBLE ssize_t read(int fd, void *buffer, size_t size) {
  if (shim_is_finalizing && worker != NULL && fd == shim_number_in("PMI_FD", -1)) {
    progress_until_readable(fd);
  }
  return syscall(SYS_read, fd, buffer, size);
}
