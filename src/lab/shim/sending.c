/* Slow ranks: what they send over the network costs them time. It is paid for each message, or
 * piece of one, that is handed to a socket.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lab/shim/shim.h"

/* What a send costs this rank: a fixed time, and one for its bytes. */
static int64_t send_ns;
static double send_ns_per_byte;

/* "FIXED_NS@BITS_PER_SECOND" for each rank, separated by commas; 0 bits a second is no limit. */
__attribute__((constructor)) static void read_send_cost(void) {
  const char *text = getenv("ESPALIER_LAB_SEND");
  long rank = shim_number_in("PMI_RANK", shim_number_in("OMPI_COMM_WORLD_RANK", -1));
  if (text == NULL || rank < 0) return;
  for (; rank > 0 && text != NULL; --rank) {
    text = strchr(text, ',');
    if (text != NULL) ++text;
  }
  if (text == NULL) return;
  char *end = NULL;
  send_ns = strtoll(text, &end, 10);
  if (*end == '@') {
    const double bits = strtod(end + 1, NULL);
    if (bits > 0) send_ns_per_byte = 8e9 / bits;
  }
}

static int unfinished = -1; /* the socket whose last message is not all sent: it is paid for */

static int is_network(int fd) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  return getsockname(fd, (struct sockaddr *)&address, &size) == 0 &&
         (address.ss_family == AF_INET || address.ss_family == AF_INET6);
}

static void pay_for_send(int fd, size_t bytes) {
  if (!shim_is_running || (send_ns == 0 && send_ns_per_byte == 0)) return;
  if (fd == unfinished || !is_network(fd)) return;
  const struct timespec span = shim_timespec(send_ns + (int64_t)(send_ns_per_byte * (double)bytes));
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
