/* UCX as the lab's library sees it: a round of progress looks at its sockets by epoll. */
#include <sys/epoll.h>

int fake_epoll = -1; /* what a round looks at */
unsigned fake_done;  /* what a round says that it did */

unsigned ucp_worker_progress(void *worker);
unsigned ucp_worker_progress(void *worker) {
  (void)worker;
  struct epoll_event event;
  (void)epoll_wait(fake_epoll, &event, 1, 0);
  return fake_done;
}
