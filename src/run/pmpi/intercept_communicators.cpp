// Wrappers of functions that make communicators.
#include <array>
#include <cstring>

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
