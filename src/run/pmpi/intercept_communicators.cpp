// Wrappers of functions that make communicators: if a program has many, the last ones are its own
// and not those that are hidden behind others.
#include <array>
#include <cstring>

#include "pmpi/functions.hpp"
#include "pmpi/intercept.hpp"

namespace espalier::pmpi {
namespace {

/// Whether MPICH or its kin says, on all ranks, that no communicator is left. Open MPI has enough.
bool has_run_short(int code) {
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  return std::strstr(text.data(), "Too many communicators") != nullptr;
}

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

/// @param comm the parent
template <typename Make>
int make_communicator(std::intptr_t comm, std::intptr_t newcomm, Make make) {
  mpi::Engine* const engine = the_engine.load(std::memory_order_acquire);
  if (engine == nullptr) return make();
  if (engine->may_give_back() && as<MPI_Comm>(comm) != MPI_COMM_NULL && newcomm != 0) {
    return make_carefully(*engine, as<MPI_Comm>(comm), as<MPI_Comm*>(newcomm), make);
  }
  return make();
}

}  // namespace

int intercept_comm_dup(std::intptr_t comm, std::intptr_t newcomm) {
  return make_communicator(comm, newcomm, [=] { return next_comm_dup(comm, newcomm); });
}

int intercept_comm_split(std::intptr_t comm, std::intptr_t color, std::intptr_t key,
                         std::intptr_t newcomm) {
  return make_communicator(comm, newcomm,
                           [=] { return next_comm_split(comm, color, key, newcomm); });
}

int intercept_comm_split_type(std::intptr_t comm, std::intptr_t split_type, std::intptr_t key,
                              std::intptr_t info, std::intptr_t newcomm) {
  return make_communicator(
      comm, newcomm, [=] { return next_comm_split_type(comm, split_type, key, info, newcomm); });
}

int intercept_comm_create(std::intptr_t comm, std::intptr_t group, std::intptr_t newcomm) {
  return make_communicator(comm, newcomm, [=] { return next_comm_create(comm, group, newcomm); });
}

}  // namespace espalier::pmpi
