#pragma once

#include <cstdint>

// For tests: what the runtime did. Not part of the interface; may change at any time.
extern "C" {
/// See espalier::mpi::Engine::count; 0 outside of MPI_Init .. MPI_Finalize.
__attribute__((visibility("default"))) std::uint64_t espalier_query_count(const char* name);
/// How the last call of this thread ran: the plan's name, or why it was native.
__attribute__((visibility("default"))) const char* espalier_query_last(int* planned);
}
