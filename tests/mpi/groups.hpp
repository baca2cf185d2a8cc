#pragma once

#include <espalier/group.hpp>
#include <numeric>

#include "base/random.hpp"
#include "mpi/harness.hpp"

namespace espalier::mpi_test {

/// The same members as a communicator of MPI's own, made without our group: every process of
/// `parent` says whether it is in, and which rank it has.
inline MPI_Comm native_twin(MPI_Comm parent, const Group& group) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(parent, group.member() ? 0 : MPI_UNDEFINED, static_cast<int>(group.rank()), &comm);
  return comm;
}

/// Whether size and ranks are as they must be. Collective over `parent`.
void expect_ranks(MPI_Comm parent, const Group& group, bool joined, Failures& failures);
/// All operations with one random size, root and way, beside MPI's on the same members. The random
/// numbers must be the same on all members.
void expect_operations(const Group& group, MPI_Comm twin, Random& common, Failures& failures);
/// Every member to every other, and answers from a named one.
void expect_messages(const Group& group, Failures& failures);
/// The communicator made from the group has the group's ranks, and works.
void expect_communicator(const Group& group, MPI_Comm twin, Failures& failures);
/// The group on a tree that follows the topology: in every outermost cluster one member's parent is
/// outside it, or is the root.
/// @param site the outermost cluster of a rank of MPI_COMM_WORLD
void expect_topology(const Group& group, MPI_Comm twin, int (*site)(int rank), Random& common,
                     Failures& failures);
/// Long data to members that do not take them: a window's worth is under way, not all of it.
void expect_windows(Groups& groups, Failures& failures);

}  // namespace espalier::mpi_test
