/* System-ranked process groups for C and Fortran programs; docs/groups.md says what they cost. The
 * rules are those of group.hpp: a call on a group is made by all its members, in the same order.
 * Link with libespalier-group-mpich or -openmpi. Fortran: espalier_groups.f90.
 *
 *   espalier_groups* groups;
 *   espalier_group* row;
 *   espalier_groups_open(MPI_COMM_WORLD, 0, NULL, &groups);
 *   espalier_group_split(espalier_groups_all(groups), colour, &row);
 *   espalier_group_allreduce(row, values, 8, MPI_DOUBLE, MPI_SUM);
 *   espalier_group_free(&row);
 *   espalier_groups_close(&groups);
 *
 * Functions return MPI_SUCCESS, MPI_ERR_ARG for a misuse, MPI_ERR_OTHER without memory, or MPI's
 * code where the error handler of the communicator returns: MPI_ERR_TRUNCATE on a member whose call
 * differs in kind or length from that of a neighbour. */
#ifndef ESPALIER_GROUP_H
#define ESPALIER_GROUP_H

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct espalier_groups espalier_groups;
typedef struct espalier_group espalier_group;

/* Collective over the communicator. degree: of trees, 0 for the usual one. machine: for
 * espalier_group_along_topology, a file or a line ("site:2 node:4 proc:8") with a place for each
 * rank; NULL for none. Places beyond the last rank stay empty. If one rank cannot read it, or there
 * are fewer places than ranks, all get MPI_ERR_ARG. */
int espalier_groups_open(MPI_Comm comm, int degree, const char* machine, espalier_groups** groups);
/* Collective; gives up all groups that are left: their handles have size 0 and can still be freed.
 * The pointer becomes NULL. */
int espalier_groups_close(espalier_groups** groups);
/* The group of all ranks, with the communicator's ranks. It is not freed. */
espalier_group* espalier_groups_all(espalier_groups* groups);

/* One group for each colour of 0 and more; MPI_UNDEFINED for none. A process that is in none gets a
 * group of size 0, on which nothing but size and free may be called. */
int espalier_group_split(espalier_group* group, int colour, espalier_group** made);
/* The same members on a tree that follows the machine. */
int espalier_group_along_topology(espalier_group* group, espalier_group** made);
/* The pointer becomes NULL. */
int espalier_group_free(espalier_group** group);

int espalier_group_size(const espalier_group* group); /* 0: not a member */
int espalier_group_rank(const espalier_group* group); /* chosen by the system; -1: not a member */

int espalier_group_barrier(espalier_group* group);
/* Types have no gaps; others are refused (MPI_ERR_ARG). */
int espalier_group_broadcast(espalier_group* group, void* data, int count, MPI_Datatype type,
                             int root);
/* The root's data become the result. Operations commute; types have no gaps, and are some that the
 * operation is for; others are refused (MPI_ERR_ARG) if the error handler of MPI_COMM_WORLD or
 * MPI_COMM_SELF returns. */
int espalier_group_reduce(espalier_group* group, void* data, int count, MPI_Datatype type,
                          MPI_Op operation, int root);
int espalier_group_allreduce(espalier_group* group, void* data, int count, MPI_Datatype type,
                             MPI_Op operation);

/* For espalier_groups.f90: the same with handles as Fortran has them. */
int espalier_groups_open_f(MPI_Fint comm, int degree, const char* machine,
                           espalier_groups** groups);
int espalier_group_broadcast_f(espalier_group* group, void* data, int count, MPI_Fint type,
                               int root);
int espalier_group_reduce_f(espalier_group* group, void* data, int count, MPI_Fint type,
                            MPI_Fint operation, int root);
int espalier_group_allreduce_f(espalier_group* group, void* data, int count, MPI_Fint type,
                               MPI_Fint operation);

#ifdef __cplusplus
}
#endif

#endif
