#include "front/thread_block.h"

extern __thread unsigned char espalier_thread_block[];

__attribute__((visibility("default"),
               aligned(ESPALIER_THREAD_BLOCK_ALIGNMENT))) __thread unsigned char
    espalier_thread_block[ESPALIER_THREAD_BLOCK_BYTES];
