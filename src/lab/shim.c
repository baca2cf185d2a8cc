/* Preloaded into the ranks of a lab, where many of them share few cores.
 *
 * Waiting ranks sleep. Both MPIs poll: their progress loops call epoll_wait (UCX in MPICH) or poll
 * (libevent in Open MPI) with a timeout of zero, over and over. After a few empty rounds the call
 * waits in the kernel instead, for 20 to 200 us; data from the network ends it at once, data
 * through shared memory is seen when it ends. Without this, twelve ranks on two cores measure the
 * scheduler.
 *
 * MPICH ends. In MPI_Finalize of MPICH 4.0 a rank that has closed its endpoints blocks in a read
 * from its process manager and makes no more progress in UCX, while ranks far away still wait for
 * it: over a real delay they hang. The read makes progress while it waits.
 *
 * Slow ranks. A rank's sends over the network can be made to cost time (ESPALIER_LAB_SEND).
 *
 * No <mpi.h>: one library for both MPIs, and for programs of neither.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

static long longest_sleep_ns = 200000;
static int is_running;    /* between MPI_Init and MPI_Finalize */
static int is_finalizing; /* from MPI_Finalize on */

/* What a send costs this rank: a fixed time, and one for its bytes. */
static int64_t send_ns;
static double send_ns_per_byte;

static void *next_function(const char *name) { return dlsym(RTLD_NEXT, name); }

static long number_in(const char *variable, long otherwise) {
  const char *text = getenv(variable);
  return text != NULL && *text != '\0' ? atol(text) : otherwise;
}

static struct timespec to_timespec(int64_t ns) {
  const struct timespec span = {ns / 1000000000, ns % 1000000000};
  return span;
}

/* "FIXED_NS@BITS_PER_SECOND" for each rank, separated by commas; 0 bits a second is no limit. */
static void read_send_cost(void) {
  const char *text = getenv("ESPALIER_LAB_SEND");
  long rank = number_in("PMI_RANK", number_in("OMPI_COMM_WORLD_RANK", -1));
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

__attribute__((constructor)) static void read_settings(void) {
  longest_sleep_ns = 1000 * number_in("ESPALIER_LAB_SLEEP_US", 200);
  read_send_cost();
  prctl(PR_SET_TIMERSLACK, 1000);
}

/* ---- waiting ---- */

enum { kEmptyRounds = 5, kShortestSleepNs = 20000 };

/* Of each thread: empty rounds since the last sleep, and how long that was. */
static __thread int empty_rounds;
static __thread long last_sleep_ns;

static __thread int has_looked; /* at the network, in the round that is not over yet */

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
  const struct timespec span = to_timespec(ns);
  if (ns > 0) clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
}

VISIBLE int epoll_wait(int fd, struct epoll_event *events, int most, int timeout) {
  has_looked = 1;
  int n = epoll_pwait(fd, events, most, timeout, NULL);
  if (timeout != 0 || longest_sleep_ns <= 0) return n;
  if (n != 0) {
    found_something();
    return n;
  }
  const long ns = sleep_after_empty_round();
  if (ns == 0) return 0;
  const struct timespec span = to_timespec(ns);
  n = epoll_pwait2(fd, events, most, &span, NULL);
  if (n > 0) found_something();
  return n < 0 ? 0 : n;
}

VISIBLE int poll(struct pollfd *fds, nfds_t count, int timeout) {
  has_looked = 1;
  const struct timespec asked = to_timespec(1000000 * (int64_t)(timeout < 0 ? 0 : timeout));
  int n = ppoll(fds, count, timeout < 0 ? NULL : &asked, NULL);
  if (timeout != 0 || longest_sleep_ns <= 0 || count == 0) return n;
  if (n != 0) {
    found_something();
    return n;
  }
  const long ns = sleep_after_empty_round();
  if (ns == 0) return 0;
  const struct timespec span = to_timespec(ns);
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

VISIBLE unsigned ucp_worker_progress(void *of);
VISIBLE unsigned ucp_worker_progress(void *of) {
  static unsigned (*next)(void *);
  if (next == NULL) next = (unsigned (*)(void *))next_function("ucp_worker_progress");
  const unsigned done = next(of);
  if (done != 0) {
    found_something();
  } else {
    end_empty_round();
  }
  return done;
}

/* ---- MPI_Init and MPI_Finalize ---- */

/* A rank that has something to do goes before everything that is not a rank, as it would on a
 * computer of its own. Round robin among ranks; where it is not permitted all goes on without.
 * All threads alike: one of UCX's holds spin locks that the main thread would spin on for ever. */
static void set_priority(int on) {
  if (number_in("ESPALIER_LAB_PRIORITY", 0) <= 0) return;
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
  is_running = 1;
  set_priority(1);
}

static void will_end(void) {
  is_running = 0;
  is_finalizing = 1;
  set_priority(0);
}

VISIBLE int MPI_Init(int *argc, char ***argv);
VISIBLE int MPI_Init(int *argc, char ***argv) {
  int (*const next)(int *, char ***) = (int (*)(int *, char ***))next_function("MPI_Init");
  const int code = next(argc, argv);
  has_started();
  return code;
}

VISIBLE int MPI_Init_thread(int *argc, char ***argv, int wanted, int *given);
VISIBLE int MPI_Init_thread(int *argc, char ***argv, int wanted, int *given) {
  int (*const next)(int *, char ***, int, int *) =
      (int (*)(int *, char ***, int, int *))next_function("MPI_Init_thread");
  const int code = next(argc, argv, wanted, given);
  has_started();
  return code;
}

VISIBLE int MPI_Finalize(void);
VISIBLE int MPI_Finalize(void) {
  int (*const next)(void) = (int (*)(void))next_function("MPI_Finalize");
  will_end();
  return next();
}

/* MPICH's Fortran 2008 module calls PMPI_Finalize, past the wrapper above. */
VISIBLE void mpi_finalize_f08_(int *code);
VISIBLE void mpi_finalize_f08_(int *code) {
  void (*const next)(int *) = (void (*)(int *))next_function("mpi_finalize_f08_");
  will_end();
  next(code);
}

/* ---- progress in UCX while MPICH waits for its process manager ---- */

static void *worker; /* the first: MPICH has one */

VISIBLE int ucp_worker_create(void *context, const void *parameters, void **made);
VISIBLE int ucp_worker_create(void *context, const void *parameters, void **made) {
  int (*const next)(void *, const void *, void **) =
      (int (*)(void *, const void *, void **))next_function("ucp_worker_create");
  const int code = next(context, parameters, made);
  if (code == 0 && worker == NULL) worker = *made;
  return code;
}

VISIBLE void ucp_worker_destroy(void *gone);
VISIBLE void ucp_worker_destroy(void *gone) {
  void (*const next)(void *) = (void (*)(void *))next_function("ucp_worker_destroy");
  if (gone == worker) worker = NULL;
  next(gone);
}

static void progress_until_readable(int fd) {
  struct pollfd wanted = {fd, POLLIN, 0};
  const struct timespec span = to_timespec(100000);
  while (worker != NULL && ppoll(&wanted, 1, &span, NULL) == 0) ucp_worker_progress(worker);
}

VISIBLE ssize_t read(int fd, void *buffer, size_t size) {
  if (is_finalizing && worker != NULL && fd == number_in("PMI_FD", -1)) {
    progress_until_readable(fd);
  }
  return syscall(SYS_read, fd, buffer, size);
}

/* ---- the cost of sends ---- */

static int unfinished = -1; /* the socket whose last message is not all sent: it is paid for */

static int is_network(int fd) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  return getsockname(fd, (struct sockaddr *)&address, &size) == 0 &&
         (address.ss_family == AF_INET || address.ss_family == AF_INET6);
}

static void pay_for_send(int fd, size_t bytes) {
  if (!is_running || (send_ns == 0 && send_ns_per_byte == 0)) return;
  if (fd == unfinished || !is_network(fd)) return;
  const struct timespec span = to_timespec(send_ns + (int64_t)(send_ns_per_byte * (double)bytes));
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
