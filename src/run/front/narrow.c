#include "front/narrow.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef intptr_t R; /* any argument: as wide as a register */

/* MPI_ERR_COUNT is the same in MPICH and Open MPI. */
enum { kErrCount = 2 };
static int no_memory(void) { return espalier_counts_cart_first() ? 39 : 34; }
/* MPI_ROOT is -3 or -4; MPI_PROC_NULL and MPI_ANY_SOURCE are -1 and -2. */
enum { kLargestRoot = -3 };

/* Arrays of calls that do not block: as many different ones are kept, the oldest goes first. */
enum { kMostKept = 1 << 12, kLookedAt = 64 };

static int ask(const char* name, R comm) {
  int (*function)(R, int*) = (int (*)(R, int*))espalier_native(name);
  int answer = 0;
  return function != NULL && function(comm, &answer) == 0 ? answer : 0;
}

static int report(const struct espalier_large_function* of, const R* values, int code) {
  int (*call)(R, int) = (int (*)(R, int))espalier_native("PMPI_Comm_call_errhandler");
  if (of->comm >= 0 && call != NULL) call(values[of->comm], code);
  return code;
}

static int is_in_place(R buffer) { return buffer == 1 || buffer == -1; }

/* Blocks of one side. */
static int neighbours(R comm, int is_receiving) {
  const int kind = ask("PMPI_Topo_test", comm);
  const int cart = espalier_counts_cart_first() ? 1 : 2;
  const int graph = 3 - cart;
  if (kind == cart) return 2 * ask("PMPI_Cartdim_get", comm);
  if (kind == 3) {
    int (*count)(R, int*, int*, int*) =
        (int (*)(R, int*, int*, int*))espalier_native("PMPI_Dist_graph_neighbors_count");
    int in = 0, out = 0, weighted = 0;
    if (count == NULL || count(comm, &in, &out, &weighted) != 0) return 0;
    return is_receiving ? in : out;
  }
  if (kind != graph) return 0; /* the MPI will say so */
  int (*count)(R, int, int*) = (int (*)(R, int, int*))espalier_native("PMPI_Graph_neighbors_count");
  int all = 0;
  if (count == NULL || count(comm, ask("PMPI_Comm_rank", comm), &all) != 0) return 0;
  return all;
}

static int blocks_of(const struct espalier_large_function* of, R comm, int is_receiving) {
  if (of->blocks == ESPALIER_OF_NEIGHBOURS) return neighbours(comm, is_receiving);
  const int is_inter = ask("PMPI_Comm_test_inter", comm);
  const int is_other = is_inter && of->blocks == ESPALIER_OF_GROUP;
  return ask(is_other ? "PMPI_Comm_remote_size" : "PMPI_Comm_size", comm);
}

/* Whether the counts of a side mean anything in this process. */
static int is_significant(const struct espalier_large_function* of, const R* values, char side) {
  const int buffer = side == 's' ? of->sendbuf : of->recvbuf;
  if (buffer >= 0 && is_in_place(values[buffer])) return 0;
  if (of->root_side == 0) return 1;
  const int root = (int)values[of->root];
  const R comm = values[of->comm];
  if (!ask("PMPI_Comm_test_inter", comm)) {
    return of->root_side != side || root == ask("PMPI_Comm_rank", comm);
  }
  return of->root_side == side ? root <= kLargestRoot : root >= 0;
}

static int is_int(R value) { return value >= INT_MIN && value <= INT_MAX; }

/* An array that outlives its call. */
struct Kept {
  int* array;
  int length;
};

/* Keeps an array, or takes an equal one in its place that is kept already: programs repeat their
 * counts. */
static int* kept(int* array, int length, enum espalier_span span) {
  static struct Kept all[2][kMostKept];
  static unsigned counts[2];
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const int is_for_good = span == ESPALIER_FOR_GOOD;
  struct Kept* some = all[is_for_good];
  pthread_mutex_lock(&mutex);
  unsigned* count = &counts[is_for_good];
  const unsigned looked_at = is_for_good ? kMostKept : kLookedAt;
  for (unsigned i = 0; i < looked_at && i < *count; ++i) {
    const struct Kept* one = &some[(*count - 1 - i) % kMostKept];
    if (one->length != length) continue;
    if (memcmp(one->array, array, sizeof(int) * (size_t)length) != 0) continue;
    free(array);
    array = one->array;
    pthread_mutex_unlock(&mutex);
    return array;
  }
  struct Kept* place = &some[(*count)++ % kMostKept];
  if (!is_for_good) free(place->array);
  place->array = array;
  place->length = length;
  pthread_mutex_unlock(&mutex);
  return array;
}

/* A copy of an array. @return 0: it has values that are no ints, or there is no memory */
static int* narrowed(const int64_t* wide, int length, int* code) {
  int* copy = malloc(sizeof(int) * (size_t)(length > 0 ? length : 1));
  if (copy == NULL) *code = no_memory();
  for (int i = 0; copy != NULL && i < length; ++i) {
    copy[i] = (int)wide[i];
    if (is_int(wide[i])) continue;
    *code = kErrCount;
    free(copy);
    return NULL;
  }
  return copy;
}

R espalier_narrow(const struct espalier_large_function* of, R* values,
                  int* made[ESPALIER_MOST_ARRAYS]) {
  int used = 0, code = 0;
  memset(made, 0, sizeof(int*) * ESPALIER_MOST_ARRAYS);
  for (int i = 0; of->arguments[i] != '\0' && code == 0; ++i) {
    const char kind = of->arguments[i];
    if (kind == 'c') {
      if (!is_int(values[i])) code = kErrCount;
    } else if (kind == 's' || kind == 'r') {
      if (!is_int(values[i]) && is_significant(of, values, kind)) code = kErrCount;
    } else if ((kind == 'S' || kind == 'R') && values[i] != 0) {
      if (!is_significant(of, values, kind == 'S' ? 's' : 'r')) continue;
      const int length = blocks_of(of, values[of->comm], kind == 'R');
      int* copy = narrowed((const int64_t*)values[i], length, &code);
      if (copy == NULL) break;
      if (of->span == ESPALIER_IN_CALL) {
        made[used++] = copy;
      } else {
        copy = kept(copy, length, of->span);
      }
      values[i] = (R)copy;
    }
  }
  if (code == 0) return 0;
  espalier_free_narrow(made);
  return report(of, values, code);
}

void espalier_free_narrow(int* made[ESPALIER_MOST_ARRAYS]) {
  for (int i = 0; i < ESPALIER_MOST_ARRAYS; ++i) {
    free(made[i]);
    made[i] = NULL;
  }
}
