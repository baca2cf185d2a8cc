/* A process that has no variant for its MPI, where others of the job may have one (a host without
 * the package, or without a library that it needs): they hold a roll call behind MPI_Init and would
 * wait for this process for ever. So it takes part, and says no. */
#ifndef ESPALIER_FRONT_DECLINE_H
#define ESPALIER_FRONT_DECLINE_H

#include "front/find_mpi.h"

int espalier_is_initialized(const struct espalier_mpi* mpi);

/* Collective over MPI_COMM_WORLD, once, by whoever starts MPI. */
void espalier_decline(const struct espalier_mpi* mpi, enum espalier_interface interface);

#endif
