/* Do ranks of a lab sleep while UCX has nothing to do with a socket that is ready? A connection
 * that waits for its peer to come out of MPI_Init stays writable. Ranks that poll it at real-time
 * priority kept the peer from ever running: programs took whole seconds longer. Counts voluntary
 * switches, no times. Runs with the lab's library preloaded. */
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

extern int fake_epoll;
extern unsigned fake_done;
unsigned ucp_worker_progress(void *worker);

enum { kRounds = 1000 };

static long sleeps_in_rounds(unsigned done) {
  struct rusage before, after;
  fake_done = done;
  getrusage(RUSAGE_SELF, &before);
  for (int i = 0; i < kRounds; ++i) (void)ucp_worker_progress(NULL);
  getrusage(RUSAGE_SELF, &after);
  return after.ru_nvcsw - before.ru_nvcsw;
}

int main(void) {
  int ends[2];
  fake_epoll = epoll_create1(0);
  if (fake_epoll < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 2;
  struct epoll_event writable = {.events = EPOLLOUT};
  if (epoll_ctl(fake_epoll, EPOLL_CTL_ADD, ends[0], &writable) != 0) return 2;
  const long idle = sleeps_in_rounds(0), busy = sleeps_in_rounds(1);
  printf(
      "%d rounds with a ready socket: %ld sleeps when nothing was done, %ld when something was\n",
      kRounds, idle, busy);
  return idle >= kRounds / 10 && busy < kRounds / 50 ? 0 : 1;
}
