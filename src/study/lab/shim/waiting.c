/* Waiting ranks sleep.
 *
 * Both MPIs poll: their progress loops call epoll_wait (UCX in MPICH) or poll (libevent in Open
 * MPI) with a timeout of zero, over and over. After a few empty rounds the call waits in the kernel
 * instead, for 20 to 200 us; data from the network ends it at once, data through shared memory is
 * seen when it ends. Ranks that have no connection yet poll without looking at the network: they
 * sleep in ucp_worker_progress or sched_yield. So do ranks whose sockets are ready while UCX has
 * nothing to do with them: a connection that waits for its peer to come out of MPI_Init stays
 * writable. Without all this, twelve ranks on two cores measure the scheduler, and ranks that poll
 * at real-time priority keep others from coming out of MPI_Init for a second and more.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/shim/shim.h"

static long longest_sleep_ns = 200000; /* 0: ranks poll */

__attribute__((constructor)) static void read_settings(void) {
  longest_sleep_ns = 1000 * shim_number_in("ESPALIER_LAB_SLEEP_US", 200);
  prctl(PR_SET_TIMERSLACK, 1000);
}

enum { kEmptyRounds = 5, kShortestSleepNs = 20000 };

/* Of each thread: empty rounds since the last sleep, and how long that was. */
static __thread int empty_rounds;
static __thread long last_sleep_ns;

static __thread int has_looked;  /* at the network, in the round that is not over yet */
static __thread int is_in_round; /* of UCX, which says at its end whether it did anything */

static void found_something(void) {
  empty_rounds = 0;
  last_sleep_ns = 0;
}

/* How long to sleep after one more empty round; 0 for not yet. Each sleep is twice the one before.
 */
static long sleep_after_empty_round(void) {
  if (++empty_rounds < kEmptyRounds) return 0;
  empty_rounds = 0;
  last_sleep_ns = last_sleep_ns == 0 ? kShortestSleepNs : 2 * last_sleep_ns;
  if (last_sleep_ns > longest_sleep_ns) last_sleep_ns = longest_sleep_ns;
  return last_sleep_ns;
}

/* The end of a round of a progress loop that found nothing. */
static void end_empty_round(void) {
  if (has_looked) { /* and has slept there if it was time */
    has_looked = 0;
    return;
  }
  const long ns = longest_sleep_ns > 0 ? sleep_after_empty_round() : 0;
  const struct timespec span = shim_timespec(ns);
  if (ns > 0) clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
}

VISIBLE int epoll_wait(int fd, struct epoll_event *events, int most, int timeout) {
  has_looked = 1;
  int n = epoll_pwait(fd, events, most, timeout, NULL);
  if (timeout != 0 || longest_sleep_ns <= 0) return n;
  if (n != 0) {
    if (is_in_round) {
      has_looked = 0;
    } else {
      found_something();
    }
    return n;
  }
  const long ns = sleep_after_empty_round();
  if (ns == 0) return 0;
  const struct timespec span = shim_timespec(ns);
  n = epoll_pwait2(fd, events, most, &span, NULL);
  if (n > 0) found_something();
  return n < 0 ? 0 : n;
}

VISIBLE int poll(struct pollfd *fds, nfds_t count, int timeout) {
  has_looked = 1;
  const struct timespec asked = shim_timespec(1000000 * (int64_t)(timeout < 0 ? 0 : timeout));
  int n = ppoll(fds, count, timeout < 0 ? NULL : &asked, NULL);
  if (timeout != 0 || longest_sleep_ns <= 0 || count == 0) return n;
  if (n != 0) {
    found_something();
    return n;
  }
  const long ns = sleep_after_empty_round();
  if (ns == 0) return 0;
  const struct timespec span = shim_timespec(ns);
  n = ppoll(fds, count, &span, NULL);
  if (n > 0) found_something();
  return n < 0 ? 0 : n;
}

/* What poll becomes in programs compiled with _FORTIFY_SOURCE. */
VISIBLE int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t size) {
  (void)size;
  return poll(fds, count, timeout);
}

VISIBLE int sched_yield(void) {
  end_empty_round();
  return (int)syscall(SYS_sched_yield);
}

VISIBLE unsigned ucp_worker_progress(void *of) {
  static __typeof__(&ucp_worker_progress) next;
  if (next == NULL) next = NEXT(ucp_worker_progress);
  is_in_round = 1;
  const unsigned done = next(of);
  is_in_round = 0;
  if (done != 0) {
    found_something();
  } else {
    end_empty_round();
  }
  return done;
}
