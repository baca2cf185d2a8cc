// Who is who in the program's communicators. Looked up once for each; an attribute tells when it
// goes.
#include <numeric>

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

void append_all(const std::vector<int>& ranks, const Communicator& known, std::vector<Rank>& out) {
  for (const int rank : ranks) out.push_back(known.peer(rank));  // MPI_PROC_NULL: nobody
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
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    for (int d = 0; d < dimensions; ++d) {
      int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
      PMPI_Cart_shift(comm, d, 1, &below, &above);
      append_all({below, above}, known, known.sources);
    }
    known.dests = known.sources;
  } else if (kind == MPI_GRAPH) {
    int count = 0;
    PMPI_Graph_neighbors_count(comm, known.me, &count);
    std::vector<int> ranks(static_cast<std::size_t>(count));
    PMPI_Graph_neighbors(comm, known.me, count, ranks.data());
    append_all(ranks, known, known.sources);
    known.dests = known.sources;
  } else if (kind == MPI_DIST_GRAPH) {
    int in = 0, out = 0, weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    std::vector<int> from(static_cast<std::size_t>(in)), to(static_cast<std::size_t>(out));
    std::vector<int> in_weights(from.size()), out_weights(to.size());
    PMPI_Dist_graph_neighbors(comm, in, from.data(), in_weights.data(), out, to.data(),
                              out_weights.data());
    append_all(from, known, known.sources);
    append_all(to, known, known.dests);
  }
}

}  // namespace espalier::record
