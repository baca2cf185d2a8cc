/* Large-count functions (MPI_Bcast_c) of an MPI that has none: they are exported here whatever the
 * MPI has, so a program that asks whether they are there is told so. They become calls of the
 * functions with counts of type int. */
#ifndef ESPALIER_FRONT_NARROW_H
#define ESPALIER_FRONT_NARROW_H

#include <stddef.h>
#include <stdint.h>

/* How long arrays of counts must live. */
enum espalier_span { ESPALIER_IN_CALL, ESPALIER_IN_REQUEST, ESPALIER_FOR_GOOD };
/* How long they are: a block for each process, for each of the own group, or for each neighbour. */
enum espalier_blocks { ESPALIER_OF_GROUP, ESPALIER_OF_OWN_GROUP, ESPALIER_OF_NEIGHBOURS };

struct espalier_large_function {
  /* A letter for each argument: c a count; s and r one of the sending and of the receiving side;
   * S and R an array of counts or displacements of these; p anything else. */
  const char* arguments;
  /* Places of arguments; -1: there is none. */
  int sendbuf, recvbuf, root, comm;
  char root_side; /* s or r: what counts at the root alone; else 0 */
  enum espalier_span span;
  enum espalier_blocks blocks;
};

enum { ESPALIER_MOST_ARRAYS = 4 };

/* Makes counts and arrays those of the other function, in place.
 * @param made output: arrays to be given to espalier_free_narrow() behind the call
 * @return 0, or what the function has to return */
intptr_t espalier_narrow(const struct espalier_large_function* of, intptr_t* values,
                         int* made[ESPALIER_MOST_ARRAYS]);
void espalier_free_narrow(int* made[ESPALIER_MOST_ARRAYS]);

/* A function of the MPI; 0: nobody defines it. */
void* espalier_native(const char* name);
/* Whether the MPI numbers kinds of topologies as Open MPI does. */
int espalier_counts_cart_first(void);

#endif
