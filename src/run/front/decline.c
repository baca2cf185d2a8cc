#define _GNU_SOURCE
#include "front/decline.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "front/front.h"
#include "front/variant.h"

typedef intptr_t R; /* a handle, or any other argument: as wide as a register */

/* MPI_COMM_WORLD, MPI_UINT64_T and MPI_MIN. */
struct Handles {
  R world;
  R number;
  R least;
};

static struct Handles handles_of(const struct espalier_mpi* mpi,
                                 enum espalier_interface interface) {
  static const struct Handles kMpich = {0x44000000, 0x4c00083e, 0x58000002};
  static const struct Handles kStandard = {0x101, 0x259, 0x22};
  static const char* const kOpenMpi[] = {"ompi_mpi_comm_world", "ompi_mpi_uint64_t",
                                         "ompi_mpi_op_min"};
  if (interface == ESPALIER_MPICH) return kMpich;
  if (interface == ESPALIER_STANDARD) return kStandard;
  R found[3];
  for (int i = 0; i < 3; ++i) {
    /* A program may hold a copy of the library's variable, which then stands for it. */
    void* address = dlsym(RTLD_DEFAULT, kOpenMpi[i]);
    found[i] = (R)(address != NULL ? address : dlsym(mpi->handle, kOpenMpi[i]));
  }
  const struct Handles handles = {found[0], found[1], found[2]};
  return handles;
}

int espalier_is_initialized(const struct espalier_mpi* mpi) {
  int (*ask)(int*) = (int (*)(int*))dlsym(mpi->handle, "PMPI_Initialized");
  int flag = 0;
  return ask != NULL && ask(&flag) == 0 && flag != 0;
}

/* The recorder's variants agree at once. */
static void decline_to_record(const struct espalier_mpi* mpi, const struct Handles* of) {
  const char* file = getenv("ESPALIER_PROFILE");
  R(*allreduce)
  (const void*, void*, R, R, R, R) =
      (R(*)(const void*, void*, R, R, R, R))dlsym(mpi->handle, "PMPI_Allreduce");
  int (*rank_of)(R, int*) = (int (*)(R, int*))dlsym(mpi->handle, "PMPI_Comm_rank");
  int rank = 0;
  if (allreduce == NULL || rank_of == NULL || rank_of(of->world, &rank) != 0) return;
  const int is_told = file != NULL && *file != '\0';
  uint64_t own[ESPALIER_PROFILE_NUMBERS], least[ESPALIER_PROFILE_NUMBERS];
  own[ESPALIER_PROFILE_FIT] = 0;
  own[ESPALIER_PROFILE_FIRST] = rank != 0 || is_told;
  own[ESPALIER_PROFILE_NOBODY] = !is_told;
  if (allreduce(own, least, ESPALIER_PROFILE_NUMBERS, of->number, of->least, of->world) != 0) {
    return;
  }
  if (rank != 0 || least[ESPALIER_PROFILE_NOBODY] != 0) return;
  fputs(least[ESPALIER_PROFILE_FIRST] == 0 ? ESPALIER_PROFILE_NOT_ON_FIRST : ESPALIER_NO_PROFILE,
        stderr);
}

/* Those of the runtime go on meanwhile: mpi/roll_call.cpp, message by message. */
static void decline_roll_call(const struct espalier_mpi* mpi, const struct Handles* of) {
  int (*size_of)(R, int*) = (int (*)(R, int*))dlsym(mpi->handle, "PMPI_Comm_size");
  R(*iallreduce)
  (const void*, void*, R, R, R, R, R*) =
      (R(*)(const void*, void*, R, R, R, R, R*))dlsym(mpi->handle, "PMPI_Iallreduce");
  R (*wait)(R*, void*) = (R(*)(R*, void*))dlsym(mpi->handle, "PMPI_Wait");
  if (size_of == NULL || iallreduce == NULL || wait == NULL) return;
  /* ESPALIER_ABSENT is 0, too. Where each process runs does not matter then. */
  const uint64_t no[ESPALIER_ROLL_CALL_MOST] = {0};
  uint64_t least[ESPALIER_ROLL_CALL_MOST];
  uint64_t status[16]; /* larger than any MPI's */
  R request = 0;
  int size = 0;
  if (size_of(of->world, &size) != 0) return;
  const int places = size <= ESPALIER_ROLL_CALL_FEW ? size * ESPALIER_ROLL_CALL_PLACE : 0;
  iallreduce(no, least, ESPALIER_ROLL_CALL_NUMBERS + places, of->number, of->least, of->world,
             &request);
  wait(&request, status);
}

void espalier_decline(const struct espalier_mpi* mpi, enum espalier_interface interface) {
  const struct Handles handles = handles_of(mpi, interface);
  if (handles.world == 0 || handles.number == 0 || handles.least == 0) return;
  if (espalier_records) {
    decline_to_record(mpi, &handles);
  } else {
    decline_roll_call(mpi, &handles);
  }
}
