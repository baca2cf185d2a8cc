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

/* The function that a call of an entry goes to.
 * @param caller the address that the call returns to */
void* espalier_resolve(size_t entry, const void* caller);

#endif
