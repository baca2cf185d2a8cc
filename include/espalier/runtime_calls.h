/* What communicator.hpp and topology.hpp ask the runtime for (libespalier): use
 * those. Weak, so that programs link and run without the library; communicators are Fortran's
 * handles, which are ints in both MPIs. Codes are those of espalier.h.
 */
#ifndef ESPALIER_RUNTIME_CALLS_H
#define ESPALIER_RUNTIME_CALLS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call as all its ranks know it; as espalier/call.hpp has it. */
struct espalier_call {
  int32_t operation; /* espalier::Operation */
  int32_t root;
  uint64_t count; /* elements of the message or block */
  uint64_t element;
  int32_t commutative;
  int32_t irregular;      /* a v form */
  const uint64_t* counts; /* of the v forms where all ranks know them, one for each rank; else 0 */
};

struct espalier_call_plan {
  int32_t planned;
  char name[128];
  char why[256];
  int64_t predicted_ps; /* -1: not known */
  int64_t native_ps;
};

struct espalier_multicast {
  void* data;
  uint64_t bytes;
  int32_t root;
  int32_t to_count;
  const int32_t* to; /* without the root, none twice */
};

/* By the GOT on x86-64, for programs that are not position independent: see espalier.h. */
#ifndef ESPALIER_RUNTIME_CALL
#ifdef __has_attribute
#if defined(__x86_64__) && __has_attribute(noplt)
#define ESPALIER_RUNTIME_CALL __attribute__((weak, noplt, visibility("default")))
#endif
#endif
#endif
#ifndef ESPALIER_RUNTIME_CALL
#define ESPALIER_RUNTIME_CALL __attribute__((weak, visibility("default")))
#endif
/* Local. */
ESPALIER_RUNTIME_CALL int espalier_api_plan_of_(int comm, const struct espalier_call* call,
                                                struct espalier_call_plan* plan);
/* The machine of a communicator as JSON, at most `room` characters of it with a 0 behind; its
 * length without the 0 in `length`. Local. */
ESPALIER_RUNTIME_CALL int espalier_api_machine_(int comm, char* text, uint64_t room,
                                                uint64_t* length);
/* Called by all ranks of the communicator. Not ESPALIER_OK: nothing was sent, on all ranks. Else
 * MPI's code is in `code`. */
ESPALIER_RUNTIME_CALL int espalier_api_multicasts_(int comm,
                                                   const struct espalier_multicast* several,
                                                   int count, int* code);

#ifdef __cplusplus
}
#endif

#endif
