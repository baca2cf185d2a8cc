#include "mpi/roll_call.hpp"

#include <map>

#include "base/text_hash.hpp"
#include "mpi/mpi_traits.hpp"

namespace espalier::mpi {
namespace {

std::uint64_t hash_of_node() {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  PMPI_Get_processor_name(name.data(), &length);
  return hash_of({name.data(), static_cast<std::size_t>(length)});
}

/// The nodes of all processes, by their ranks in MPI_COMM_WORLD.
std::vector<std::uint64_t> gather_nodes(std::uint64_t own_node, MPI_Comm over) {
  int size = 1, rank = 0;
  PMPI_Comm_size(over, &size);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  using Entry = std::array<std::uint64_t, 2>;
  const Entry own{static_cast<std::uint64_t>(rank), own_node};
  std::vector<Entry> all(static_cast<std::size_t>(size));
  PMPI_Allgather(own.data(), 2, MPI_UINT64_T, all.data(), 2, MPI_UINT64_T, over);
  std::vector<std::uint64_t> nodes(all.size());
  for (const auto& [of, node] : all) nodes[of] = node;
  return nodes;
}

}  // namespace

void RollCall::begin(const Presence& own) {
  own_ = {own.settings,
          ~own.settings,
          own.cannot_wait ? 1U : 0U,
          own.is_threaded ? 1U : 0U,
          own.is_threaded ? 0U : 1U,
          own.is_unfit ? std::uint64_t{ESPALIER_UNFIT} : std::uint64_t{ESPALIER_FIT}};
  own_node_ = hash_of_node();
  if (kIsSimulated) {  // its non-blocking collectives send from everybody to everybody
    PMPI_Allreduce(own_.data(), least_.data(), static_cast<int>(own_.size()), MPI_UINT64_T, MPI_MIN,
                   MPI_COMM_WORLD);
    return;
  }
  PMPI_Iallreduce(own_.data(), least_.data(), static_cast<int>(own_.size()), MPI_UINT64_T, MPI_MIN,
                  MPI_COMM_WORLD, &requests_[0]);
  int size = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > kFew) return;
  nodes_.resize(static_cast<std::size_t>(size));
  PMPI_Iallgather(&own_node_, 1, MPI_UINT64_T, nodes_.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD,
                  &requests_[1]);
}

void RollCall::wait() {
  PMPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

std::vector<int> RollCall::leaders(MPI_Comm over) const {
  const auto nodes = nodes_.empty() ? gather_nodes(own_node_, over) : nodes_;
  std::map<std::uint64_t, int> first;
  std::vector<int> leaders;
  for (std::size_t r = 0; r < nodes.size(); ++r) {
    leaders.push_back(first.try_emplace(nodes[r], static_cast<int>(r)).first->second);
  }
  return leaders;
}

}  // namespace espalier::mpi
