/* Slow ranks: what they compute takes longer.
 *
 * Where the kernel does not cap a host's time (cgroups), a rank pays for the time that it computed
 * by sleeping: with a share of 40 % of a core, 60 ms for every 40. The kernel tells of spent time
 * at its clock ticks, by a signal; how much it was is read from the clock. All threads count, the
 * first one sleeps.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/shim/shim.h"

enum { kOften = 1000000 }; /* ns of computing, or a tick if that is longer */

static int64_t paid_ns;

static int64_t spent_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pay_for_computing(int signal) {
  (void)signal;
  const int saved = errno;
  const int64_t share = __atomic_load_n(&shim_cell()->cpu_permille, __ATOMIC_RELAXED);
  const int64_t spent = spent_ns();
  if (shim_is_running && share > 0 && share < 1000) {
    const struct timespec span = shim_timespec((spent - paid_ns) * (1000 - share) / share);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
  }
  paid_ns = spent_ns();
  errno = saved;
}

void shim_start_paying(void) {
  const EspalierRankCell *cell = shim_cell();
  if (cell == NULL || __atomic_load_n(&cell->cpu_by_library, __ATOMIC_RELAXED) == 0) return;
  if (__atomic_load_n(&cell->cpu_permille, __ATOMIC_RELAXED) >= 1000) return;
  const int signal = SIGRTMAX - 2;
  struct sigaction action = {.sa_handler = pay_for_computing, .sa_flags = SA_RESTART};
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal};
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  timer_t timer;
  if (sigaction(signal, &action, NULL) != 0) return;
  if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0) return;
  paid_ns = spent_ns();
  const struct itimerspec often = {shim_timespec(kOften), shim_timespec(kOften)};
  timer_settime(timer, 0, &often, NULL);
}
