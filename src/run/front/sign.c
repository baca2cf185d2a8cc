#define _GNU_SOURCE
#include "front/sign.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void espalier_leave_sign(void) {
  const char* name = getenv("ESPALIER_SIGN");
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  const size_t length = name == NULL ? 0 : strlen(name);
  if (length == 0 || length >= sizeof to.sun_path) return;
  memcpy(to.sun_path + 1, name, length); /* behind a 0: the socket has no file */
  const int old_errno = errno;
  const int from = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (from >= 0) {
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    (void)!sendto(from, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr*)&to, size);
    close(from);
  }
  errno = old_errno;
}
