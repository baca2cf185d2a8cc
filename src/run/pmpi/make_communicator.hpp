#pragma once

// If a program has many communicators, the last ones are its own and not those that are hidden
// behind others.
#include "mpi/mpi_traits.hpp"
#include "pmpi/intercept.hpp"

namespace espalier::pmpi {

/// Whether MPICH or its kin says, on all ranks, that no communicator is left. Open MPI has enough.
[[nodiscard]] bool has_run_short(int code);

/// Gives a communicator that returns errors the error handler that the program has given it, or
/// its parent. Not if it has another: the program's copy functions may have set that meanwhile.
void take_handler(MPI_Comm comm, MPI_Errhandler handler);

/// Makes something that needs a communicator by `make`. Errors are returned first. If it was for
/// want of communicators the hidden ones are given back, and MPI is asked again. The program's
/// error handler has the last word.
/// @param made where a new communicator comes; nullptr: what is made is none
/// @param give_back gives them back. Called by all that make it. @return whether to ask again
template <typename GiveBack, typename Make>
[[gnu::noinline]] int make_carefully(MPI_Comm parent, const MPI_Comm* made, GiveBack give_back,
                                     Make make) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (PMPI_Comm_get_errhandler(parent, &handler) != MPI_SUCCESS) return make();
  PMPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
  int code = make();
  take_handler(parent, handler);
  if (code == MPI_SUCCESS && made != nullptr) take_handler(*made, handler);
  PMPI_Errhandler_free(&handler);
  if (code == MPI_SUCCESS) return code;
  const bool asks_again = without_bugs([&] { return has_run_short(code) && give_back(); });
  return asks_again ? make() : hand_to_user(parent, code);
}

/// Likewise, if there is an engine that may give some back. @param give_back takes the engine
template <typename GiveBack, typename Make>
int make_by(MPI_Comm parent, const MPI_Comm* made, GiveBack give_back, Make make) {
  mpi::Engine* const engine = the_engine.load(std::memory_order_acquire);
  if (engine == nullptr || !mpi::kRunsShort) return make();
  if (!engine->may_give_back() || parent == MPI_COMM_NULL) return make();
  return make_carefully(
      parent, made, [&] { return give_back(*engine); }, make);
}

/// Makes a communicator of members of `comm`. All of these call it.
template <typename Make>
int make_communicator(std::intptr_t comm, std::intptr_t newcomm, Make make) {
  if (newcomm == 0) return make();
  const auto parent = as<MPI_Comm>(comm);
  const auto give_back = [=](mpi::Engine& engine) { return engine.give_back(parent); };
  return make_by(parent, as<const MPI_Comm*>(newcomm), give_back, make);
}

}  // namespace espalier::pmpi
