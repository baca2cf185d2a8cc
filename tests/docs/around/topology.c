/* Around code that asks for the topology. */
#include <espalier.h>
#include <mpi.h>

enum { MAX = 8 };
void around(int size) {
  MPI_Comm site;
  // THE BLOCK
}
