/* Slow ranks: what they send over the network costs them time. It is paid for each message, or
 * piece of one, that is handed to a socket.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lab/shim/shim.h"

static int unfinished = -1; /* the socket whose last message is not all sent: it is paid for */

static int is_network(int fd) {
  struct sockaddr_storage address = {0};
  socklen_t size = sizeof address;
  return getsockname(fd, (struct sockaddr *)&address, &size) == 0 &&
         (address.ss_family == AF_INET || address.ss_family == AF_INET6);
}

static void pay_for_send(int fd, size_t bytes) {
  const EspalierRankCell *cell = shim_cell();
  if (!shim_is_running || cell == NULL) return;
  int64_t ns = __atomic_load_n(&cell->send_ns, __ATOMIC_RELAXED);
  const int64_t rate = __atomic_load_n(&cell->send_bits_per_second, __ATOMIC_RELAXED);
  if (rate > 0) ns += (int64_t)(8e9 * (double)bytes / (double)rate);
  if (ns == 0 || fd == unfinished || !is_network(fd)) return;
  const struct timespec span = shim_timespec(ns);
  clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
}

static ssize_t sent(int fd, ssize_t result, size_t bytes) {
  if (result >= 0 && (size_t)result == bytes) {
    if (fd == unfinished) unfinished = -1;
  } else if (result >= 0 || errno == EAGAIN) {
    unfinished = fd;
  }
  return result;
}

static size_t total(const struct iovec *pieces, size_t count) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) bytes += pieces[i].iov_len;
  return bytes;
}

VISIBLE ssize_t send(int fd, const void *data, size_t size, int flags) {
  pay_for_send(fd, size);
  return sent(fd, syscall(SYS_sendto, fd, data, size, flags, NULL, 0), size);
}

VISIBLE ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  const size_t size = total(message->msg_iov, message->msg_iovlen);
  pay_for_send(fd, size);
  return sent(fd, syscall(SYS_sendmsg, fd, message, flags), size);
}

VISIBLE ssize_t writev(int fd, const struct iovec *pieces, int count) {
  const size_t size = total(pieces, (size_t)count);
  pay_for_send(fd, size);
  return sent(fd, syscall(SYS_writev, fd, pieces, count), size);
}
