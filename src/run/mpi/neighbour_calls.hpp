#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "mpi/agreed_length.hpp"
#include "mpi/group_plans.hpp"
#include "mpi/late_agreement.hpp"
#include "mpi/neighbourhood.hpp"
#include "mpi/world.hpp"
#include "runtime/account.hpp"
#include "runtime/explain.hpp"
#include "select/neighbour_chooser.hpp"

namespace espalier::mpi {

/// What the neighbourhood collectives of one communicator need beside a plan: who has which
/// neighbours, and about how long blocks are. Each rank knows its own part only, so the others are
/// told (docs/adr/0043-neighbours-are-told-in-a-call.md).
class NeighbourCalls {
 public:
  NeighbourCalls(MPI_Comm comm, const World& world) : comm_(comm), world_(world) {}

  /// This rank's neighbours, if the communicator has a topology. Local.
  [[nodiscard]] const OwnNeighbours& own();
  /// Whether all neighbours were told. Local; changes only inside calls that may wait.
  [[nodiscard]] bool are_known() const { return all_ != nullptr && all_->graph() != nullptr; }
  /// Why a neighbourhood collective is native before its class is asked; absent: all ranks know all
  /// neighbours. All members ask before the same call, and get the same answer. May be collective.
  [[nodiscard]] std::optional<runtime::Reason> why_none(const GroupPlans& group);
  /// About how long blocks are in neighbourhood collectives of this kind; absent: not agreed on
  /// yet. All members get the same answer before the same call. Changes only in agree_on_block().
  [[nodiscard]] std::optional<std::uint64_t> agreed_block(schedule::Operation operation) const;
  /// Called before each of these calls that blocks, by all members.
  /// @param longest bytes of this rank's longest block in the call
  /// @return whether lengths matter: then all members must call this before all later calls too
  bool agree_on_block(schedule::Operation operation, std::uint64_t longest);
  /// Chooses among plans for these neighbours. @pre are_known()
  [[nodiscard]] select::NeighbourChooser& chooser(const GroupPlans& group);
  /// The machine is another one from now on.
  void forget_choices() { chooser_.reset(); }

  /// Waits until MPI needs the communicator no more. All members have started what is under way, or
  /// will.
  void complete_agreements();
  /// Gives agreements up that are under way.
  void leave();

 private:
  /// Finds all neighbours. Collective on a distributed graph, whose ranks tell each other.
  void tell_at_once();
  /// Likewise, when there is time for it. @return whether that is over
  bool tell_by_steps(const topology::Machine& machine);

  MPI_Comm comm_;
  const World& world_;
  std::unique_ptr<Neighbourhood> all_;                 // absent before the first such call
  std::unique_ptr<select::NeighbourChooser> chooser_;  // uses all_ and the group's machine
  std::map<schedule::Operation, AgreedLength> lengths_;
  std::uint32_t calls_ = 0;  // before neighbours were told
  runtime::Asking asking_{0};
  std::unique_ptr<LateAgreement> telling_;  // a step of tell_by_steps() is under way
  std::uint32_t telling_calls_ = 0;         // calls since it was started
};

}  // namespace espalier::mpi
