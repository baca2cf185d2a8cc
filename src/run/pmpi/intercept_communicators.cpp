// Wrappers of functions that make communicators, or windows.
#include <array>
#include <cstring>

#include "mpi/owned.hpp"
#include "pmpi/functions.hpp"
#include "pmpi/make_communicator.hpp"

namespace espalier::pmpi {

bool has_run_short(int code) {
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  return std::strstr(text.data(), "Too many communicators") != nullptr ||
         std::strstr(text.data(), "fragmentation") != nullptr;  // none that all ranks have left
}

void take_handler(MPI_Comm comm, MPI_Errhandler handler) {
  if (comm == MPI_COMM_NULL) return;
  MPI_Errhandler now = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(comm, &now);
  if (now == MPI_ERRORS_RETURN) PMPI_Comm_set_errhandler(comm, handler);
  PMPI_Errhandler_free(&now);
}

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

int intercept_comm_create_group(std::intptr_t comm, std::intptr_t group, std::intptr_t tag,
                                std::intptr_t newcomm) {
  const auto make = [=] { return next_comm_create_group(comm, group, tag, newcomm); };
  if (newcomm == 0) return make();
  const auto give_back = [=](mpi::Engine& engine) {
    return engine.give_back_to({as<MPI_Group>(group)});
  };
  return make_by(as<MPI_Comm>(comm), as<const MPI_Comm*>(newcomm), give_back, make);
}

int intercept_intercomm_merge(std::intptr_t intercomm, std::intptr_t high, std::intptr_t newcomm) {
  const auto make = [=] { return next_intercomm_merge(intercomm, high, newcomm); };
  if (newcomm == 0) return make();
  const auto parent = as<MPI_Comm>(intercomm);
  const auto give_back = [=](mpi::Engine& engine) {
    MPI_Group here = MPI_GROUP_NULL, there = MPI_GROUP_NULL;
    PMPI_Comm_group(parent, &here);
    const mpi::OwnedGroup own_here(here);
    PMPI_Comm_remote_group(parent, &there);
    const mpi::OwnedGroup own_there(there);
    return engine.give_back_to({here, there});
  };
  return make_by(parent, as<const MPI_Comm*>(newcomm), give_back, make);
}

int intercept_cart_sub(std::intptr_t comm, std::intptr_t remain_dims, std::intptr_t newcomm) {
  return make_communicator(comm, newcomm,
                           [=] { return next_cart_sub(comm, remain_dims, newcomm); });
}

/// A window has a communicator of its own. Other kinds of windows are not here: MPICH 4.0 does not
/// survive that it has none for them.
int intercept_win_create(std::intptr_t base, std::intptr_t size, std::intptr_t disp_unit,
                         std::intptr_t info, std::intptr_t comm, std::intptr_t win) {
  const auto parent = as<MPI_Comm>(comm);
  const auto give_back = [=](mpi::Engine& engine) { return engine.give_back(parent); };
  return make_by(parent, nullptr, give_back,
                 [=] { return next_win_create(base, size, disp_unit, info, comm, win); });
}

}  // namespace espalier::pmpi
