#pragma once

#include <cstdint>

extern "C" {
// What include/espalier.h calls; its codes come back. Communicators are Fortran's handles, which
// are ints in both MPIs.
__attribute__((visibility("default"))) int espalier_topology_discover_();
__attribute__((visibility("default"))) int espalier_topology_levels_(int comm, int* levels);
__attribute__((visibility("default"))) int espalier_topology_depths_(int comm, int* depths);
__attribute__((visibility("default"))) int espalier_topology_colors_(int comm, int levels,
                                                                     int* colors);
__attribute__((visibility("default"))) int espalier_topology_attach_(int comm, int* keyvals);
}

// For tests: what the runtime did. Not part of the interface; may change at any time.
extern "C" {
/// See espalier::mpi::Registry::count; 0 outside of MPI_Init .. MPI_Finalize.
__attribute__((visibility("default"))) std::uint64_t espalier_query_count(const char* name);
/// How the last call of this thread ran: the plan's name, or why it was native.
__attribute__((visibility("default"))) const char* espalier_query_last(int* planned);
}
