// Where groups meet MPI's own objects: communicators, operations, types.
#include <algorithm>
#include <utility>

#include "base/contract.hpp"
#include "group_mpi/runtime.hpp"

namespace espalier {
namespace {

/// An operation of MPI's on elements of a type. Refuses what MPI refuses before anything is sent,
/// and so on all members alike: where errors return, those who combine nothing would not notice.
ElementOperation of_mpi(MPI_Datatype type, MPI_Op operation, group_mpi::MpiEndpoint& endpoint) {
  expects(type != MPI_DATATYPE_NULL && operation != MPI_OP_NULL,
          "a reduction on a group: no type, or no operation");
  int size = 0, commutes = 0;
  MPI_Aint first = 0, extent = 0;
  PMPI_Type_size(type, &size);
  PMPI_Type_get_extent(type, &first, &extent);
  PMPI_Op_commutative(operation, &commutes);
  expects(size > 0 && first == 0 && extent == size,
          "a reduction on a group: the type must have no gaps");
  expects(commutes != 0, "a reduction on a group: the operation must commute");
  // No element: MPI looks at operation and type, and calls no function of the user.
  const std::byte nothing{};
  std::byte into_nothing{};
  expects(PMPI_Reduce_local(&nothing, &into_nothing, 0, type, operation) == MPI_SUCCESS,
          "a reduction on a group: the operation is not for this type");
  return {static_cast<std::size_t>(size),
          [type, operation, size, &endpoint](std::byte* into, const std::byte* other,
                                             std::size_t bytes) {
            endpoint.note(PMPI_Reduce_local(
                other, into, static_cast<int>(bytes / static_cast<std::size_t>(size)), type,
                operation));
          }};
}

std::span<std::byte> bytes_of(void* data, int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  expects(count >= 0, "a reduction on a group: a negative count");
  return {static_cast<std::byte*>(data),
          static_cast<std::size_t>(count) * static_cast<std::size_t>(size)};
}

}  // namespace

GroupRequest Group::ireduce(void* data, int count, MPI_Datatype type, MPI_Op operation,
                            GroupRank root, CollectiveOptions options) const {
  expects(member(), "a reduction on a group that one is not in");
  ElementOperation combine = of_mpi(type, operation, runtime_->endpoint);
  return start_reduce(espalier::bytes_of(data, count, type), std::move(combine), root, options);
}

GroupRequest Group::iallreduce(void* data, int count, MPI_Datatype type, MPI_Op operation,
                               CollectiveOptions options) const {
  expects(member(), "a reduction on a group that one is not in");
  ElementOperation combine = of_mpi(type, operation, runtime_->endpoint);
  return start_allreduce(espalier::bytes_of(data, count, type), std::move(combine), options);
}

int Group::to_communicator(MPI_Comm* comm) const {
  expects(member(), "to_communicator: a group that one is not in");
  const group::Group self = runtime_->group(tag_);
  // The list has to come down to all members whole, so going up whole costs no more than twice.
  std::vector<int> ids(self.size(), -1);
  ids[self.rank()] = static_cast<int>(runtime_->endpoint.self());
  allreduce(ids, maximum);
  if (runtime_->endpoint.error() != MPI_SUCCESS) return runtime_->endpoint.error();

  MPI_Group all = MPI_GROUP_NULL, members = MPI_GROUP_NULL;
  int code = PMPI_Comm_group(runtime_->comm.get(), &all);
  if (code != MPI_SUCCESS) return code;
  const mpi::OwnedGroup owned_all(all);
  code = PMPI_Group_incl(all, static_cast<int>(ids.size()), ids.data(), &members);
  if (code != MPI_SUCCESS) return code;
  const mpi::OwnedGroup owned_members(members);
  // Not PMPI_: the communicator is the user's, and a preloaded library may want to know of it.
  return MPI_Comm_create_group(runtime_->comm.get(), members, 0, comm);
}

}  // namespace espalier
