#include "mpi/roll_call.hpp"

#include <map>

namespace espalier::mpi {

void RollCall::begin(const Presence& own) {
  own_ = {own.settings, ~own.settings, own.cannot_wait ? 1U : 0U, own.is_threaded ? 1U : 0U,
          own.is_threaded ? 0U : 1U};
  PMPI_Iallreduce(own_.data(), least_.data(), static_cast<int>(own_.size()), MPI_UINT64_T, MPI_MIN,
                  MPI_COMM_WORLD, &request_);
}

void RollCall::wait() {
  if (request_ != MPI_REQUEST_NULL) PMPI_Wait(&request_, MPI_STATUS_IGNORE);
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

std::vector<int> node_leaders(MPI_Comm over) {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0, size = 1, rank = 0;
  PMPI_Get_processor_name(name.data(), &length);
  PMPI_Comm_size(over, &size);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  using Entry = std::array<std::uint64_t, 2>;  // rank of the world, node
  const Entry own{static_cast<std::uint64_t>(rank),
                  hash_of({name.data(), static_cast<std::size_t>(length)})};
  std::vector<Entry> all(static_cast<std::size_t>(size));
  PMPI_Allgather(own.data(), 2, MPI_UINT64_T, all.data(), 2, MPI_UINT64_T, over);
  std::vector<std::uint64_t> node_of(all.size());
  for (const Entry& entry : all) node_of[entry[0]] = entry[1];
  std::map<std::uint64_t, int> first;
  std::vector<int> leaders;
  for (std::size_t r = 0; r < node_of.size(); ++r) {
    leaders.push_back(first.try_emplace(node_of[r], static_cast<int>(r)).first->second);
  }
  return leaders;
}

}  // namespace espalier::mpi
