#include "mpi/thread_block.hpp"

alignas(ESPALIER_THREAD_BLOCK_ALIGNMENT) constinit thread_local std::byte
    espalier_thread_block[ESPALIER_THREAD_BLOCK_BYTES]{};
