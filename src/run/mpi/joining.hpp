#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "mpi/hidden_comm.hpp"
#include "mpi/hidden_share.hpp"
#include "mpi/late_agreement.hpp"
#include "mpi/memory_use.hpp"
#include "mpi/world.hpp"
#include "runtime/account.hpp"
#include "runtime/class_state.hpp"

namespace espalier::mpi {

/// How the members of one communicator come to a hidden one: at once, where a machine was named, or
/// step by step, where the program shall not wait for it
/// (docs/adr/0028-work-that-the-program-pays-for.md). All members ask before the same calls, and
/// get the same answers, which go through the states of docs/runtime.md ("States of joining").
class Joining {
 public:
  /// Hash of machine and plan: all members must have the same. Asked for only when it is needed,
  /// since making a plan takes time.
  using Hash = std::function<std::uint64_t()>;
  /// There: hidden() may be used from this call on. Never: hashes differ, or some rank has no
  /// hidden communicator left.
  using State = runtime::JoinState;

  Joining(MPI_Comm comm, const World& world, HiddenShare& share)
      : comm_(comm), world_(world), share_(share) {}

  /// Makes it now. Collective. @return There or Never
  [[nodiscard]] State at_once(const GroupPlans& group, const Hash& hash);
  /// Goes one step without making the program wait: asks whether all ranks agree and there is time
  /// for it, makes it, asks whether all have made it. Called before each call that would gain.
  [[nodiscard]] State by_steps(GroupPlans& group, const MemoryUse& memory, const Hash& hash);
  /// Whether calls on far links gain here, and it was asked whether there is time.
  [[nodiscard]] bool asks() const { return asks_; }
  /// Whether it is time for a trial on one node: what choosing a plan and making the hidden
  /// communicator and the segment takes, and all our work before, must stay within the account.
  /// Collective before calls 1, 6, 15 ... of these, and begins anew after a yes.
  [[nodiscard]] bool is_time_to_try(const GroupPlans& group, const MemoryUse& memory);

  /// Whether this rank has made it; others may not have.
  [[nodiscard]] bool has_made() const { return static_cast<bool>(hidden_); }
  /// MPI_COMM_NULL: there is none.
  [[nodiscard]] MPI_Comm hidden() const { return hidden_ ? hidden_.get() : MPI_COMM_NULL; }
  /// Whether calls that do not block may go along plans, on all members. @pre There
  [[nodiscard]] bool may_all_start() const { return may_all_start_; }

  /// Waits until MPI needs the program's communicator no more. All members have started what is
  /// under way, or will.
  void complete_agreement();
  /// Gives an agreement up that is under way.
  void drop_agreement() { agreement_.reset(); }
  /// Frees the hidden communicator, or leaves it and its share behind.
  /// @param is_abandoned it has messages, or MPI still uses it
  void leave(bool is_abandoned);

 private:
  [[nodiscard]] bool may_start(const GroupPlans& group) const;
  void end_steps();
  void begin_steps(const GroupPlans& group);
  void make_in_time(std::span<const double> agreed, GroupPlans& group, const MemoryUse& memory,
                    const Hash& hash);
  void drop_share();

  MPI_Comm comm_;
  const World& world_;
  HiddenShare& share_;
  State state_ = State::Waiting;
  runtime::Asking asking_{0};
  bool asks_ = false;
  bool holds_share_ = false;
  bool may_all_start_ = false;
  std::uint32_t calls_ = 0;                   // since agreement_ was started
  std::unique_ptr<LateAgreement> agreement_;  // under way in Asking and Comparing
  OwnedComm hidden_;
};

}  // namespace espalier::mpi
