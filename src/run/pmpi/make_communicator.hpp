#pragma once

// If a program has many communicators, the last ones are its own and not those that are hidden
// behind others.
#include "mpi/mpi_traits.hpp"
#include "pmpi/intercept.hpp"

namespace espalier::pmpi {

/// Whether MPICH or its kin says, on all ranks, that no communicator is left. Open MPI has enough.
[[nodiscard]] bool has_run_short(int code);

/// Errors are returned first. If it was for want of communicators the hidden ones are given back,
/// and MPI is asked again. The program's error handler has the last word.
template <typename Make>
[[gnu::noinline]] int make_carefully(mpi::Engine& engine, MPI_Comm parent, MPI_Comm* made,
                                     Make make) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (PMPI_Comm_get_errhandler(parent, &handler) != MPI_SUCCESS) return make();
  PMPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
  int code = make();
  PMPI_Comm_set_errhandler(parent, handler);
  if (code == MPI_SUCCESS && *made != MPI_COMM_NULL) PMPI_Comm_set_errhandler(*made, handler);
  PMPI_Errhandler_free(&handler);
  if (code == MPI_SUCCESS) return code;
  const bool asks_again =
      without_bugs([&] { return has_run_short(code) && engine.give_back(parent); });
  return asks_again ? make() : hand_to_user(parent, code);
}

/// Makes a communicator by `make`. @param comm the parent
template <typename Make>
int make_communicator(std::intptr_t comm, std::intptr_t newcomm, Make make) {
  mpi::Engine* const engine = the_engine.load(std::memory_order_acquire);
  if (engine == nullptr || !mpi::kRunsShort) return make();
  if (engine->may_give_back() && as<MPI_Comm>(comm) != MPI_COMM_NULL && newcomm != 0) {
    return make_carefully(*engine, as<MPI_Comm>(comm), as<MPI_Comm*>(newcomm), make);
  }
  return make();
}

}  // namespace espalier::pmpi
