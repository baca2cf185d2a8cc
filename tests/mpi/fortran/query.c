/* What the preloaded library did, for Fortran: -1 where there is none. The programs are not linked
 * with it. */
#include <stdint.h>

__attribute__((weak)) uint64_t espalier_query_count(const char* name);

int planned_calls(void) { return espalier_query_count ? (int)espalier_query_count("planned") : -1; }
int native_calls(void) { return espalier_query_count ? (int)espalier_query_count("native") : -1; }
