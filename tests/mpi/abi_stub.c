// An MPI of one process with the standard's own binary interface: as much of it as the runtime asks
// for before it leaves a call to MPI. Built as libmpi_abi.so.0; with -DWRONG_STATUS it fills in
// MPI_Status as MPICH does, with -DWRONG_TYPES its datatypes have other numbers.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Each function has two names.
#define BOTH(type, name, parameters)                      \
  type P##name parameters;                                \
  __attribute__((alias("P" #name))) type name parameters; \
  type P##name parameters

enum { kKeys = 16 };
static struct {
  MPI_Comm_delete_attr_function* remove;
  void* state;
  void* value;
  int is_set;
} keys[kKeys];
static int key_count;
static MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
static struct {
  const void* data;
  int bytes, tag;
} message;  // to oneself: there is never more than one
static struct {
  void* data;
  int is_posted;
} receive;
static int natives;

static int size_of(MPI_Datatype type) {
#ifdef WRONG_TYPES
  if (type == MPI_FLOAT) return 8;
#endif
  const struct {
    MPI_Datatype type;
    int bytes;
  } known[] = {
      {MPI_BYTE, 1},      {MPI_PACKED, 1},     {MPI_CHAR, 1},     {MPI_SIGNED_CHAR, 1},
      {MPI_SHORT, 2},     {MPI_INT, 4},        {MPI_UNSIGNED, 4}, {MPI_LONG, sizeof(long)},
      {MPI_LONG_LONG, 8}, {MPI_FLOAT, 4},      {MPI_DOUBLE, 8},   {MPI_C_BOOL, 1},
      {MPI_INT16_T, 2},   {MPI_INT64_T, 8},    {MPI_UINT64_T, 8}, {MPI_AINT, sizeof(MPI_Aint)},
      {MPI_2INT, 8},      {MPI_DOUBLE_INT, 12}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    if (known[i].type == type) return known[i].bytes;
  }
  return 0;
}

static void fill(MPI_Status* status, int source, int tag, int bytes) {
  if (status == MPI_STATUS_IGNORE) return;
#ifdef WRONG_STATUS
  int* words = (int*)status;
  words[0] = bytes, words[1] = 0, words[2] = source, words[3] = tag, words[4] = 0;
#else
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  status->MPI_internal[0] = bytes;
#endif
}

BOTH(int, MPI_Init, (int* argc, char*** argv)) {
  (void)argc, (void)argv;
  return 0;
}
BOTH(int, MPI_Initialized, (int* flag)) {
  *flag = 1;
  return 0;
}
BOTH(int, MPI_Finalize, (void)) {
  for (int i = 0; i < key_count; ++i) {
    if (keys[i].is_set && keys[i].remove != NULL) {
      keys[i].is_set = 0;
      keys[i].remove(MPI_COMM_SELF, i + 1000, keys[i].value, keys[i].state);
    }
  }
  printf("native calls %d\n", natives);
  return 0;
}
BOTH(int, MPI_Get_library_version, (char* text, int* length)) {
  strcpy(text, "A stub of the standard's binary interface");
  *length = (int)strlen(text);
  return 0;
}
BOTH(int, MPI_Comm_size, (MPI_Comm comm, int* size)) {
  *size = 1;
  return comm == MPI_COMM_NULL;
}
BOTH(int, MPI_Comm_rank, (MPI_Comm comm, int* rank)) {
  *rank = 0;
  return comm == MPI_COMM_NULL;
}
BOTH(int, MPI_Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* to)) {
  (void)comm;
  *to = handler;
  return 0;
}
BOTH(int, MPI_Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler to)) {
  (void)comm;
  handler = to;
  return 0;
}
BOTH(int, MPI_Errhandler_free, (MPI_Errhandler * one)) {
  *one = MPI_ERRHANDLER_NULL;
  return 0;
}
BOTH(int, MPI_Query_thread, (int* level)) {
  *level = MPI_THREAD_SINGLE;
  return 0;
}
BOTH(int, MPI_Get_processor_name, (char* name, int* length)) {
  strcpy(name, "here");
  *length = 4;
  return 0;
}
BOTH(double, MPI_Wtime, (void)) { return 0; }
BOTH(int, MPI_Type_size, (MPI_Datatype type, int* size)) {
  *size = size_of(type);
  return *size == 0;
}
#define COMBINE(type, expression)                        \
  do {                                                   \
    const type* a = in;                                  \
    type* b = out;                                       \
    for (int i = 0; i < count; ++i) b[i] = (expression); \
    return 0;                                            \
  } while (0)
BOTH(int, MPI_Reduce_local, (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op)) {
  if (type == MPI_UINT64_T && op == MPI_MIN) COMBINE(uint64_t, a[i] < b[i] ? a[i] : b[i]);
  if (type == MPI_DOUBLE && op == MPI_SUM) COMBINE(double, a[i] + b[i]);
  if (type == MPI_INT && op == MPI_MAX) COMBINE(int, a[i] > b[i] ? a[i] : b[i]);
  if (type == MPI_LONG && op == MPI_PROD) COMBINE(long, a[i] * b[i]);
  if (type == MPI_INT && op == MPI_BXOR) COMBINE(int, a[i] ^ b[i]);
  if (type == MPI_INT && op == MPI_LAND) COMBINE(int, a[i] && b[i]);
  if (type == MPI_INT && op == MPI_BOR) COMBINE(int, a[i] | b[i]);
  return MPI_ERR_OTHER;
}
BOTH(int, MPI_Irecv,
     (void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
      MPI_Request* request)) {
  (void)count, (void)type, (void)comm;
  if (source != MPI_ANY_SOURCE || tag != MPI_ANY_TAG) return MPI_ERR_OTHER;
  receive.data = data;
  receive.is_posted = 1;
  *request = (MPI_Request)0x9000;
  return 0;
}
BOTH(int, MPI_Send,
     (const void* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)) {
  if (dest != 0 || comm == MPI_COMM_NULL || !receive.is_posted) return MPI_ERR_OTHER;
  message.bytes = count * size_of(type);
  message.tag = tag;
  memcpy(receive.data, data, (size_t)message.bytes);
  return 0;
}
BOTH(int, MPI_Wait, (MPI_Request * request, MPI_Status* status)) {
  if (*request != MPI_REQUEST_NULL) fill(status, 0, message.tag, message.bytes);
  *request = MPI_REQUEST_NULL;
  return 0;
}
BOTH(int, MPI_Waitall, (int count, MPI_Request* requests, MPI_Status* statuses)) {
  (void)statuses;
  for (int i = 0; i < count; ++i) requests[i] = MPI_REQUEST_NULL;
  return 0;
}
BOTH(int, MPI_Get_count, (const MPI_Status* status, MPI_Datatype type, int* count)) {
  *count = status->MPI_internal[0] / size_of(type);
  return 0;
}
BOTH(int, MPI_Iprobe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status)) {
  (void)tag, (void)comm;
  *flag = source == MPI_PROC_NULL;
  if (*flag) fill(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
  return 0;
}
BOTH(int, MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* to)) {
  (void)comm, (void)key;
  *to = color == MPI_UNDEFINED ? MPI_COMM_NULL : (MPI_Comm)0x9200;
  return 0;
}
BOTH(int, MPI_Comm_free, (MPI_Comm * comm)) {
  *comm = MPI_COMM_NULL;
  return 0;
}
BOTH(int, MPI_Error_string, (int error, char* text, int* length)) {
  strcpy(text, error == MPI_ERR_TRUNCATE ? "message truncated"
               : error == MPI_ERR_COMM   ? "invalid communicator"
               : error == MPI_ERR_COUNT  ? "invalid count"
                                         : "other");
  *length = (int)strlen(text);
  return 0;
}
BOTH(int, MPI_Sendrecv,
     (const void* in, int count, MPI_Datatype type, int dest, int tag, void* out, int out_count,
      MPI_Datatype out_type, int source, int out_tag, MPI_Comm comm, MPI_Status* status)) {
  (void)dest, (void)out_count, (void)out_type, (void)out_tag, (void)comm;
  memcpy(out, in, (size_t)(count * size_of(type)));
  fill(status, source, tag, count * size_of(type));
  return 0;
}
BOTH(int, MPI_Allreduce,
     (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)) {
  if (comm == MPI_COMM_WORLD && op == MPI_SUM) ++natives;  // the program's, not the runtime's own
  if (in != MPI_IN_PLACE) memcpy(out, in, (size_t)(count * size_of(type)));
  return 0;
}
BOTH(int, MPI_Iallreduce,
     (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
      MPI_Request* request)) {
  (void)op, (void)comm;
  memcpy(out, in, (size_t)(count * size_of(type)));
  *request = (MPI_Request)0x9000;
  return 0;
}
BOTH(int, MPI_Iallgather,
     (const void* in, int count, MPI_Datatype type, void* out, int out_count, MPI_Datatype out_type,
      MPI_Comm comm, MPI_Request* request)) {
  (void)out_count, (void)out_type, (void)comm;
  memcpy(out, in, (size_t)(count * size_of(type)));
  *request = (MPI_Request)0x9000;
  return 0;
}
BOTH(int, MPI_Barrier, (MPI_Comm comm)) {
  (void)comm;
  ++natives;
  return 0;
}
BOTH(int, MPI_Comm_create_keyval,
     (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function* remove, int* key,
      void* state)) {
  (void)copy;
  if (key_count == kKeys) return MPI_ERR_OTHER;
  keys[key_count].remove = remove;
  keys[key_count].state = state;
  *key = 1000 + key_count++;
  return 0;
}
BOTH(int, MPI_Comm_free_keyval, (int* key)) {
  *key = MPI_KEYVAL_INVALID;
  return 0;
}
BOTH(int, MPI_Comm_set_attr, (MPI_Comm comm, int key, void* value)) {
  (void)comm;
  keys[key - 1000].value = value;
  keys[key - 1000].is_set = 1;
  return 0;
}
BOTH(int, MPI_Comm_get_attr, (MPI_Comm comm, int key, void* value, int* flag)) {
  static int bound = 1 << 20;
  (void)comm;
  *flag = key == MPI_TAG_UB || (key >= 1000 && keys[key - 1000].is_set);
  if (*flag) *(void**)value = key == MPI_TAG_UB ? (void*)&bound : keys[key - 1000].value;
  return 0;
}
BOTH(int, MPI_Comm_delete_attr, (MPI_Comm comm, int key)) {
  if (keys[key - 1000].is_set) {
    keys[key - 1000].is_set = 0;
    if (keys[key - 1000].remove != NULL) {
      keys[key - 1000].remove(comm, key, keys[key - 1000].value, keys[key - 1000].state);
    }
  }
  return 0;
}
BOTH(int, MPI_Comm_test_inter, (MPI_Comm comm, int* flag)) {
  (void)comm;
  *flag = 0;
  return 0;
}
BOTH(int, MPI_Comm_get_name, (MPI_Comm comm, char* name, int* length)) {
  (void)comm;
  strcpy(name, "MPI_COMM_WORLD");
  *length = (int)strlen(name);
  return 0;
}
BOTH(int, MPI_Comm_group, (MPI_Comm comm, MPI_Group* group)) {
  (void)comm;
  *group = (MPI_Group)0x9100;
  return 0;
}
BOTH(int, MPI_Group_free, (MPI_Group * group)) {
  *group = MPI_GROUP_NULL;
  return 0;
}
BOTH(int, MPI_Group_translate_ranks,
     (MPI_Group from, int count, const int* ranks, MPI_Group to, int* there)) {
  (void)from, (void)to;
  for (int i = 0; i < count; ++i) there[i] = ranks[i];
  return 0;
}
