/* Preloaded into ranks: says which of Open MPI's broadcasts ran, and of how many bytes the longest
 * message was that UCX sent. The functions are found by name in the libraries that come later, so
 * nothing of them is linked. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* names[16];
static int calls[16];
static size_t longest, sends;

static void note(const char* name) {
  int i = 0;
  while (i < 15 && names[i] && strcmp(names[i], name) != 0) ++i;
  names[i] = name;
  ++calls[i];
}

/* Arguments are words in registers and on the stack on all machines that we run on. */
typedef long (*Any)(long, long, long, long, long, long, long, long, long, long);
#define SPY(name)                                                                             \
  long name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j);  \
  long name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j) { \
    note(#name);                                                                              \
    return ((Any)dlsym(RTLD_NEXT, #name))(a, b, c, d, e, f, g, h, i, j);                      \
  }
SPY(ompi_coll_base_bcast_intra_basic_linear)
SPY(ompi_coll_base_bcast_intra_chain)
SPY(ompi_coll_base_bcast_intra_pipeline)
SPY(ompi_coll_base_bcast_intra_split_bintree)
SPY(ompi_coll_base_bcast_intra_bintree)
SPY(ompi_coll_base_bcast_intra_binomial)
SPY(ompi_coll_base_bcast_intra_knomial)
SPY(ompi_coll_base_bcast_intra_scatter_allgather)
SPY(ompi_coll_base_bcast_intra_scatter_allgather_ring)

void* ucp_tag_send_nbx(void* to, const void* buffer, size_t count, unsigned long tag,
                       const void* parameters);
void* ucp_tag_send_nbx(void* to, const void* buffer, size_t count, unsigned long tag,
                       const void* parameters) {
  void* (*next)(void*, const void*, size_t, unsigned long, const void*) =
      dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
  if (count > longest) longest = count;
  ++sends;
  return next(to, buffer, count, tag, parameters);
}

__attribute__((destructor)) static void tell(void) {
  for (int i = 0; i < 16 && names[i]; ++i) fprintf(stderr, "spy %s %d\n", names[i], calls[i]);
  if (sends) fprintf(stderr, "spy longest %zu of %zu\n", longest, sends);
}
