/* What can be changed about a rank while it runs: `espalier lab set` writes it, the library that is
 * preloaded into ranks (shim/) reads it. A file of these, one for each rank, mapped by both; hence
 * plain C, and every access atomic.
 */
#ifndef ESPALIER_LAB_RANK_CELL_H
#define ESPALIER_LAB_RANK_CELL_H

#include <stdint.h>

typedef struct EspalierRankCell {
  int64_t send_ns;              /* what each send over the network costs */
  int64_t send_bits_per_second; /* rate at which the bytes of a send cost time; 0: nothing */
  int64_t cpu_permille;         /* share of a core's time; 1000: all of it */
  int64_t cpu_by_library;       /* who limits that share: 1 the library, 0 the kernel */
} EspalierRankCell;

#endif
