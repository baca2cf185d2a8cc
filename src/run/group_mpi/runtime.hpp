#pragma once

#include <optional>

#include "group/group.hpp"
#include "group_mpi/mpi_endpoint.hpp"
#include "group_mpi/patience.hpp"
#include "model/logp_models.hpp"
#include "mpi/owned.hpp"
// The public interface, which this room implements.
#include <espalier/group.hpp>

namespace espalier {

/// What the options of Groups come to.
struct GroupSettings {
  std::optional<group::Words> path;  ///< this process's clusters, if the topology is known
  std::optional<model::LogGP> network;
  Rank degree = 0;
};

/// One process's share of all groups of a communicator.
class GroupRuntime {
 public:
  /// Collective. Options that one process cannot take are refused on all: they throw.
  GroupRuntime(mpi::OwnedComm hidden, const GroupsOptions& options);
  ~GroupRuntime();
  GroupRuntime(const GroupRuntime&) = delete;
  GroupRuntime& operator=(const GroupRuntime&) = delete;

  bool progress();
  /// Progress until something is so, or MPI has failed.
  template <typename Condition>
  void until(Condition condition) {
    group_mpi::Patience patience;
    while (!condition() && endpoint.error() == MPI_SUCCESS) {
      if (progress()) {
        patience.something_came();
      } else {
        patience.nothing_came();
      }
    }
  }
  [[nodiscard]] group::Group group(std::uint64_t tag) { return process.group(tag); }
  /// What a collective's segments should be. Depends on nothing that members do not share.
  /// @param asked bytes that the user asked for; 0: none
  [[nodiscard]] std::size_t segment(const group::GroupView& view, std::size_t bytes,
                                    std::size_t asked) const;

  mpi::OwnedComm comm;
  GroupSettings settings;
  group_mpi::MpiEndpoint endpoint;
  group::Process process;
};

}  // namespace espalier
