// Ranks of Open MPI that wait call sched_yield() again and again. On two cores busy with other jobs
// runs of 2 ranks stalled now and then: 100 sections took 28 s and once more than 100 s, with short
// sleeps instead 8 s and 13 s in the runs next to those. The load was not the same in all; on 4
// ranks, and under MPICH, no gain was seen. Preloaded, natively and with the library alike.
#include <time.h>

int sched_yield(void) {
  static __thread unsigned calls;
  const struct timespec nap = {0, 20000};
  if (++calls % 16 == 0) nanosleep(&nap, 0);
  return 0;
}
