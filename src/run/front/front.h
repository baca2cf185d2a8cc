/* The entries of the front, made by scripts/generate_front.py, and what stands behind them. */
#ifndef ESPALIER_FRONT_FRONT_H
#define ESPALIER_FRONT_FRONT_H

#include <stddef.h>
#include <stdint.h>

/* A slot for each entry: where its calls go. At first that is espalier_resolve(), which puts the
 * function into the slot. */
extern void* espalier_slots[];
extern void* const espalier_first_slots[];
extern const char* const espalier_names[];
extern const size_t espalier_entry_count;
/* What stands for an entry where nobody defines the function (narrow.h); 0: nothing. The second
 * ones are for what stands behind the wrappers: they do not come back to these. */
extern void* const espalier_substitutes[];
extern void* const espalier_native_substitutes[];

/* The name of a symbol that every copy of this library exports, and this copy's symbol. */
extern const char* const espalier_mark;
extern const void* const espalier_own_mark;
/* Whether this is the front of the recorder. */
extern const int espalier_records;

/* The function that a call of an entry goes to.
 * @param caller the address that the call returns to */
void* espalier_resolve(size_t entry, const void* caller);

/* Called behind each function that starts MPI. */
void espalier_after_init(void);

#endif
