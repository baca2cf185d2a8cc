#include "mpi/probe_tasks.hpp"

namespace espalier::mpi {

void sleep_simulated(std::uint32_t microseconds) { smpi_usleep(microseconds); }

}  // namespace espalier::mpi
