#include "mpi/thread_block.hpp"

namespace espalier::mpi {

alignas(ESPALIER_THREAD_BLOCK_ALIGNMENT) constinit std::byte
    block_of_rank[ESPALIER_THREAD_BLOCK_BYTES]{};

}  // namespace espalier::mpi
