// Who is who in the program's communicators. Looked up once for each; an attribute tells when it
// goes.
#include <numeric>

#include "mpi/own_neighbours.hpp"
#include "record/recorder.hpp"

namespace espalier::record {
namespace {

std::vector<Rank> world_ranks(MPI_Group group) {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> here(static_cast<std::size_t>(size)), there(here.size());
  std::iota(here.begin(), here.end(), 0);
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, size, here.data(), world, there.data());
  PMPI_Group_free(&world);
  std::vector<Rank> ranks;
  for (const int rank : there) {
    ranks.push_back(rank == MPI_UNDEFINED ? kNoRank : static_cast<Rank>(rank));
  }
  return ranks;
}

Communicator look_at(MPI_Comm comm) {
  Communicator known;
  int inter = 0;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_test_inter(comm, &inter);
  PMPI_Comm_rank(comm, &known.me);
  PMPI_Comm_group(comm, &group);
  known.is_inter = inter != 0;
  known.members = world_ranks(group);
  PMPI_Group_free(&group);
  known.peers = known.members;
  if (known.is_inter) {
    PMPI_Comm_remote_group(comm, &group);
    known.peers = world_ranks(group);
    PMPI_Group_free(&group);
  }
  known.is_ours = true;
  for (const Rank rank : known.members) known.is_ours = known.is_ours && rank != kNoRank;
  return known;
}

}  // namespace

Communicator* Recorder::find(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return nullptr;
  const std::intptr_t handle = in_register(comm);
  if (last != nullptr && last_handle == handle) return last;
  std::shared_ptr<Communicator>& known = communicators[handle];
  if (!known) {
    known = std::make_shared<Communicator>(look_at(comm));
    if (known->is_ours && !known->is_inter) known->number = recording.communicator(known->members);
    PMPI_Comm_set_attr(comm, keyval, nullptr);
  }
  last_handle = handle;
  last = known.get();
  return last;
}

void Recorder::learn_neighbours(MPI_Comm comm, Communicator& known) const {
  if (known.knows_neighbours) return;
  known.knows_neighbours = true;
  const mpi::OwnNeighbours own = mpi::own_neighbours_of(comm);
  const auto in_world = [&known](const std::vector<Rank>& neighbours) {
    std::vector<Rank> ranks;
    for (const Rank rank : neighbours) ranks.push_back(known.peer(rank));  // kNoRank is nobody
    return ranks;
  };
  known.sources = in_world(own.sources);
  known.dests = in_world(own.destinations);
}

}  // namespace espalier::record
