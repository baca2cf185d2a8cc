/* The part of MPI's C interface that Espalier uses, with the values that the standard's own binary
 * interface gives it (MPI 5.0, chapter "Application Binary Interface", ABI 1.0). Written for
 * Espalier from the standard; programs are compiled with the mpi.h of their MPI, never with this.
 */
#ifndef ESPALIER_ABI_MPI_H
#define ESPALIER_ABI_MPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPI_ABI_VERSION 1
#define MPI_ABI_SUBVERSION 0

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;
typedef int MPI_Fint;

typedef struct {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int MPI_internal[5];
} MPI_Status;
#define MPI_F_STATUS_SIZE 8

/* Handles are addresses of nothing: those of the standard are numbers. */
typedef struct MPI_ABI_Op* MPI_Op;
typedef struct MPI_ABI_Comm* MPI_Comm;
typedef struct MPI_ABI_Group* MPI_Group;
typedef struct MPI_ABI_Message* MPI_Message;
typedef struct MPI_ABI_Info* MPI_Info;
typedef struct MPI_ABI_Errhandler* MPI_Errhandler;
typedef struct MPI_ABI_Request* MPI_Request;
typedef struct MPI_ABI_Datatype* MPI_Datatype;

#define MPI_OP_NULL ((MPI_Op)0x20)
#define MPI_SUM ((MPI_Op)0x21)
#define MPI_MIN ((MPI_Op)0x22)
#define MPI_MAX ((MPI_Op)0x23)
#define MPI_PROD ((MPI_Op)0x24)
#define MPI_BAND ((MPI_Op)0x28)
#define MPI_BOR ((MPI_Op)0x29)
#define MPI_BXOR ((MPI_Op)0x2a)
#define MPI_LAND ((MPI_Op)0x30)
#define MPI_LOR ((MPI_Op)0x31)
#define MPI_LXOR ((MPI_Op)0x32)
#define MPI_MINLOC ((MPI_Op)0x38)
#define MPI_MAXLOC ((MPI_Op)0x39)
#define MPI_REPLACE ((MPI_Op)0x3c)
#define MPI_NO_OP ((MPI_Op)0x3d)

#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF ((MPI_Comm)0x102)
#define MPI_GROUP_NULL ((MPI_Group)0x108)
#define MPI_MESSAGE_NULL ((MPI_Message)0x128)
#define MPI_MESSAGE_NO_PROC ((MPI_Message)0x129)
#define MPI_INFO_NULL ((MPI_Info)0x130)
#define MPI_ERRHANDLER_NULL ((MPI_Errhandler)0x140)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x141)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0x142)
#define MPI_REQUEST_NULL ((MPI_Request)0x180)

#define MPI_DATATYPE_NULL ((MPI_Datatype)0x200)
#define MPI_AINT ((MPI_Datatype)0x201)
#define MPI_COUNT ((MPI_Datatype)0x202)
#define MPI_OFFSET ((MPI_Datatype)0x203)
#define MPI_PACKED ((MPI_Datatype)0x207)
#define MPI_SHORT ((MPI_Datatype)0x208)
#define MPI_INT ((MPI_Datatype)0x209)
#define MPI_LONG ((MPI_Datatype)0x20a)
#define MPI_LONG_LONG ((MPI_Datatype)0x20b)
#define MPI_UNSIGNED_SHORT ((MPI_Datatype)0x20c)
#define MPI_UNSIGNED ((MPI_Datatype)0x20d)
#define MPI_UNSIGNED_LONG ((MPI_Datatype)0x20e)
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)0x20f)
#define MPI_FLOAT ((MPI_Datatype)0x210)
#define MPI_C_FLOAT_COMPLEX ((MPI_Datatype)0x212)
#define MPI_DOUBLE ((MPI_Datatype)0x214)
#define MPI_C_DOUBLE_COMPLEX ((MPI_Datatype)0x216)
#define MPI_LOGICAL ((MPI_Datatype)0x218)
#define MPI_INTEGER ((MPI_Datatype)0x219)
#define MPI_REAL ((MPI_Datatype)0x21a)
#define MPI_COMPLEX ((MPI_Datatype)0x21b)
#define MPI_DOUBLE_PRECISION ((MPI_Datatype)0x21c)
#define MPI_DOUBLE_COMPLEX ((MPI_Datatype)0x21d)
#define MPI_LONG_DOUBLE ((MPI_Datatype)0x220)
#define MPI_FLOAT_INT ((MPI_Datatype)0x228)
#define MPI_DOUBLE_INT ((MPI_Datatype)0x229)
#define MPI_LONG_INT ((MPI_Datatype)0x22a)
#define MPI_2INT ((MPI_Datatype)0x22b)
#define MPI_SHORT_INT ((MPI_Datatype)0x22c)
#define MPI_LONG_DOUBLE_INT ((MPI_Datatype)0x22d)
#define MPI_2REAL ((MPI_Datatype)0x230)
#define MPI_2DOUBLE_PRECISION ((MPI_Datatype)0x231)
#define MPI_2INTEGER ((MPI_Datatype)0x232)
#define MPI_C_BOOL ((MPI_Datatype)0x238)
#define MPI_INT8_T ((MPI_Datatype)0x240)
#define MPI_UINT8_T ((MPI_Datatype)0x241)
#define MPI_CHAR ((MPI_Datatype)0x243)
#define MPI_SIGNED_CHAR ((MPI_Datatype)0x244)
#define MPI_UNSIGNED_CHAR ((MPI_Datatype)0x245)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_INT16_T ((MPI_Datatype)0x248)
#define MPI_UINT16_T ((MPI_Datatype)0x249)
#define MPI_INT32_T ((MPI_Datatype)0x250)
#define MPI_UINT32_T ((MPI_Datatype)0x251)
#define MPI_INT64_T ((MPI_Datatype)0x258)
#define MPI_UINT64_T ((MPI_Datatype)0x259)
#define MPI_INTEGER1 ((MPI_Datatype)0x2c1)
#define MPI_CHARACTER ((MPI_Datatype)0x2c3)
#define MPI_INTEGER2 ((MPI_Datatype)0x2c9)
#define MPI_INTEGER4 ((MPI_Datatype)0x2d1)
#define MPI_REAL4 ((MPI_Datatype)0x2d2)
#define MPI_INTEGER8 ((MPI_Datatype)0x2d9)
#define MPI_REAL8 ((MPI_Datatype)0x2da)
#define MPI_COMPLEX8 ((MPI_Datatype)0x2db)
#define MPI_COMPLEX16 ((MPI_Datatype)0x2e3)

enum {
  MPI_SUCCESS = 0,
  MPI_ERR_COUNT = 2,
  MPI_ERR_TYPE = 3,
  MPI_ERR_COMM = 5,
  MPI_ERR_REQUEST = 7,
  MPI_ERR_TRUNCATE = 15,
  MPI_ERR_OTHER = 16,
  MPI_ERR_INTERN = 17,
  MPI_ERR_PENDING = 18,
  MPI_ERR_IN_STATUS = 19
};

#define MPI_BOTTOM ((void*)0)
#define MPI_IN_PLACE ((void*)1)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)
#define MPI_UNWEIGHTED ((int*)10)
#define MPI_WEIGHTS_EMPTY ((int*)11)

#define MPI_MAX_ERROR_STRING 512
#define MPI_MAX_INFO_VAL 1024
#define MPI_MAX_LIBRARY_VERSION_STRING 8192
#define MPI_MAX_OBJECT_NAME 128
#define MPI_MAX_PROCESSOR_NAME 256

enum {
  MPI_ANY_SOURCE = -1,
  MPI_ANY_TAG = -2,
  MPI_PROC_NULL = -3,
  MPI_UNDEFINED = -32766,
  MPI_THREAD_SINGLE = 0,
  MPI_THREAD_FUNNELED = 1024,
  MPI_THREAD_SERIALIZED = 2048,
  MPI_THREAD_MULTIPLE = 4096,
  MPI_COMBINER_NAMED = 101,
  MPI_COMBINER_DUP = 102,
  MPI_COMBINER_CONTIGUOUS = 103,
  MPI_COMBINER_F90_INTEGER = 113,
  MPI_COMBINER_F90_REAL = 114,
  MPI_COMBINER_F90_COMPLEX = 115,
  MPI_CART = 211,
  MPI_GRAPH = 212,
  MPI_DIST_GRAPH = 213,
  MPI_COMM_TYPE_SHARED = 221,
  MPI_KEYVAL_INVALID = 0,
  MPI_TAG_UB = 501
};

typedef int(MPI_Comm_copy_attr_function)(MPI_Comm, int, void*, void*, void*, int*);
typedef int(MPI_Comm_delete_attr_function)(MPI_Comm, int, void*, void*);
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function*)0)
#define MPI_COMM_DUP_FN ((MPI_Comm_copy_attr_function*)1)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function*)0)

int PMPI_Abort(MPI_Comm, int);
int PMPI_Allgather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
int PMPI_Allgatherv(const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype,
                    MPI_Comm);
int PMPI_Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
int PMPI_Barrier(MPI_Comm);
int PMPI_Bcast(void*, int, MPI_Datatype, int, MPI_Comm);
int PMPI_Cancel(MPI_Request*);
int PMPI_Cart_get(MPI_Comm, int, int*, int*, int*);
int PMPI_Cart_shift(MPI_Comm, int, int, int*, int*);
int PMPI_Cartdim_get(MPI_Comm, int*);
MPI_Fint PMPI_Comm_c2f(MPI_Comm);
MPI_Fint PMPI_Request_c2f(MPI_Request);
MPI_Request PMPI_Request_f2c(MPI_Fint);
int PMPI_Comm_call_errhandler(MPI_Comm, int);
int PMPI_Comm_create(MPI_Comm, MPI_Group, MPI_Comm*);
int PMPI_Comm_create_errhandler(void (*)(MPI_Comm*, int*, ...), MPI_Errhandler*);
int PMPI_Comm_create_group(MPI_Comm, MPI_Group, int, MPI_Comm*);
int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function*, MPI_Comm_delete_attr_function*, int*,
                            void*);
int PMPI_Comm_delete_attr(MPI_Comm, int);
int PMPI_Comm_dup(MPI_Comm, MPI_Comm*);
MPI_Comm PMPI_Comm_f2c(MPI_Fint);
int PMPI_Comm_free(MPI_Comm*);
int PMPI_Comm_free_keyval(int*);
int PMPI_Comm_get_attr(MPI_Comm, int, void*, int*);
int PMPI_Comm_get_errhandler(MPI_Comm, MPI_Errhandler*);
int PMPI_Comm_get_name(MPI_Comm, char*, int*);
int PMPI_Comm_get_parent(MPI_Comm*);
int PMPI_Comm_group(MPI_Comm, MPI_Group*);
int PMPI_Comm_rank(MPI_Comm, int*);
int PMPI_Comm_remote_group(MPI_Comm, MPI_Group*);
int PMPI_Comm_remote_size(MPI_Comm, int*);
int PMPI_Comm_set_attr(MPI_Comm, int, void*);
int PMPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler);
int PMPI_Comm_size(MPI_Comm, int*);
int PMPI_Comm_split(MPI_Comm, int, int, MPI_Comm*);
int PMPI_Comm_split_type(MPI_Comm, int, int, MPI_Info, MPI_Comm*);
int PMPI_Comm_test_inter(MPI_Comm, int*);
int PMPI_Dist_graph_neighbors(MPI_Comm, int, int*, int*, int, int*, int*);
int PMPI_Dist_graph_neighbors_count(MPI_Comm, int*, int*, int*);
int PMPI_Errhandler_free(MPI_Errhandler*);
int PMPI_Error_class(int, int*);
int PMPI_Error_string(int, char*, int*);
int PMPI_Finalize(void);
int PMPI_Gather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm);
int PMPI_Gatherv(const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, int,
                 MPI_Comm);
int PMPI_Get_count(const MPI_Status*, MPI_Datatype, int*);
int PMPI_Get_elements_x(const MPI_Status*, MPI_Datatype, MPI_Count*);
int PMPI_Get_library_version(char*, int*);
int PMPI_Get_processor_name(char*, int*);
int PMPI_Graph_get(MPI_Comm, int, int, int*, int*);
int PMPI_Graph_neighbors(MPI_Comm, int, int, int*);
int PMPI_Graph_neighbors_count(MPI_Comm, int, int*);
int PMPI_Graphdims_get(MPI_Comm, int*, int*);
int PMPI_Group_free(MPI_Group*);
int PMPI_Group_incl(MPI_Group, int, const int*, MPI_Group*);
int PMPI_Group_size(MPI_Group, int*);
int PMPI_Group_translate_ranks(MPI_Group, int, const int*, MPI_Group, int*);
int PMPI_Iallgather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm,
                    MPI_Request*);
int PMPI_Iallreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*);
int PMPI_Ibcast(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Request*);
MPI_Info PMPI_Info_f2c(MPI_Fint);
int PMPI_Info_get(MPI_Info, const char*, int, char*, int*);
int PMPI_Initialized(int*);
int PMPI_Iprobe(int, int, MPI_Comm, int*, MPI_Status*);
int PMPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Issend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
MPI_Message PMPI_Message_f2c(MPI_Fint);
int PMPI_Op_commutative(MPI_Op, int*);
MPI_Op PMPI_Op_f2c(MPI_Fint);
int PMPI_Pack(const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm);
int PMPI_Probe(int, int, MPI_Comm, MPI_Status*);
int PMPI_Query_thread(int*);
int PMPI_Recv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
int PMPI_Reduce_local(const void*, void*, int, MPI_Datatype, MPI_Op);
MPI_Request PMPI_Request_f2c(MPI_Fint);
int PMPI_Recv_init(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Request_free(MPI_Request*);
int PMPI_Request_get_status(MPI_Request, int*, MPI_Status*);
int PMPI_Send(const void*, int, MPI_Datatype, int, int, MPI_Comm);
int PMPI_Send_init(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Sendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int,
                  MPI_Comm, MPI_Status*);
int PMPI_Start(MPI_Request*);
int PMPI_Test(MPI_Request*, int*, MPI_Status*);
int PMPI_Test_cancelled(const MPI_Status*, int*);
int PMPI_Testall(int, MPI_Request*, int*, MPI_Status*);
int PMPI_Testsome(int, MPI_Request*, int*, int*, MPI_Status*);
int PMPI_Topo_test(MPI_Comm, int*);
int PMPI_Type_commit(MPI_Datatype*);
int PMPI_Type_contiguous(int, MPI_Datatype, MPI_Datatype*);
int PMPI_Type_create_hindexed(int, const int*, const MPI_Aint*, MPI_Datatype, MPI_Datatype*);
int PMPI_Type_create_struct(int, const int*, const MPI_Aint*, const MPI_Datatype*, MPI_Datatype*);
MPI_Datatype PMPI_Type_f2c(MPI_Fint);
int PMPI_Type_free(MPI_Datatype*);
int PMPI_Type_get_contents(MPI_Datatype, int, int, int, int*, MPI_Aint*, MPI_Datatype*);
int PMPI_Type_get_envelope(MPI_Datatype, int*, int*, int*, int*);
int PMPI_Type_get_extent(MPI_Datatype, MPI_Aint*, MPI_Aint*);
int PMPI_Type_get_true_extent(MPI_Datatype, MPI_Aint*, MPI_Aint*);
int PMPI_Type_size(MPI_Datatype, int*);
int PMPI_Type_size_x(MPI_Datatype, MPI_Count*);
int PMPI_Unpack(const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm);
int PMPI_Wait(MPI_Request*, MPI_Status*);
int PMPI_Waitall(int, MPI_Request*, MPI_Status*);
int PMPI_Waitany(int, MPI_Request*, int*, MPI_Status*);
double PMPI_Wtime(void);

#ifdef __cplusplus
}
#endif

#endif
