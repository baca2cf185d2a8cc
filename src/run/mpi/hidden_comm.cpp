#include "mpi/hidden_comm.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>

#include "mpi/returned_errors.hpp"

namespace espalier::mpi {

UserComm::UserComm(MPI_Comm comm) : handle(comm) {
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter == 0) PMPI_Comm_size(comm, &size);
}

std::string UserComm::name() const {
  std::array<char, MPI_MAX_OBJECT_NAME> text{};
  int length = 0;
  PMPI_Comm_get_name(handle, text.data(), &length);
  std::string given(text.data(), static_cast<std::size_t>(length));
  // A terminal obeys these, and a line has one name.
  std::erase_if(given, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  return fmt::format("{} ({})", given.empty() ? "unnamed" : given, size);
}

std::optional<std::vector<Rank>> ranks_in_world(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  const OwnedGroup own_group(group);
  return group_in_world(group);
}

std::optional<std::vector<Rank>> group_in_world(MPI_Group group) {
  int size = 0;
  PMPI_Group_size(group, &size);
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  const OwnedGroup own_world(world);
  std::vector<Rank> ranks;
  ranks.reserve(static_cast<std::size_t>(size));
  if (group == world) {  // quick: Open MPI looks for each rank among all
    ranks.resize(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), Rank{0});
    return ranks;
  }
  std::vector<int> here(static_cast<std::size_t>(size)), there(here.size());
  std::iota(here.begin(), here.end(), 0);
  PMPI_Group_translate_ranks(group, size, here.data(), world, there.data());
  for (const int rank : there) {
    if (rank == MPI_UNDEFINED) return std::nullopt;
    ranks.push_back(static_cast<Rank>(rank));
  }
  return ranks;
}

/// Not made by MPI_Comm_dup, which would call the program's attribute callbacks.
OwnedComm hidden_copy(MPI_Comm from, int rank) {
  const ReturnedErrors returned(from);
  MPI_Comm made = MPI_COMM_NULL;
  int is_made = PMPI_Comm_split(from, 0, rank, &made) == MPI_SUCCESS ? 1 : 0;
  OwnedComm owned = is_made != 0 ? OwnedComm(made) : OwnedComm();
  const int code = PMPI_Allreduce(MPI_IN_PLACE, &is_made, 1, MPI_INT, MPI_MIN, from);
  if (code != MPI_SUCCESS || is_made == 0) return {};
  PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return owned;
}

OwnedComm hidden_twin(MPI_Comm from) {
  const ReturnedErrors returned(from);
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(from, &group);
  const OwnedGroup own_group(group);
  MPI_Comm made = MPI_COMM_NULL;
  if (PMPI_Comm_create(from, group, &made) != MPI_SUCCESS) return {};
  PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return OwnedComm(made);
}

}  // namespace espalier::mpi
