/* Variables of each thread that a variant reads in every call. They lie in the front, which is
 * there from the start: a library that is opened later finds little room for variables that need no
 * call to be reached (the C library keeps some 500 bytes for all such libraries together). */
#ifndef ESPALIER_FRONT_THREAD_BLOCK_H
#define ESPALIER_FRONT_THREAD_BLOCK_H

#define ESPALIER_THREAD_BLOCK_BYTES 8192
#define ESPALIER_THREAD_BLOCK_ALIGNMENT 64

#endif
