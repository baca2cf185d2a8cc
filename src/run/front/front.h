/* The entries of the front, made by scripts/generate_front.py, and what stands behind them. */
#ifndef ESPALIER_FRONT_FRONT_H
#define ESPALIER_FRONT_FRONT_H

#include <stddef.h>
#include <stdint.h>

/* One for each entry: where a call of it goes. At first to espalier_resolve(), which puts the
 * function there. */
extern void* espalier_slots[];
extern void* const espalier_first_slots[];
extern const char* const espalier_names[];
extern const size_t espalier_entry_count;

/* What every copy of this library exports under the same name, and this copy's. */
extern const char* const espalier_mark;
extern const void* const espalier_own_mark;
/* This is the front of the recorder. */
extern const int espalier_records;

/* The function that a call of an entry goes to.
 * @param caller the address that the call returns to */
void* espalier_resolve(size_t entry, const void* caller);

/* Behind each function that starts MPI. */
void espalier_after_init(void);

#endif
