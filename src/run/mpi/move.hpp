#pragma once

#include <memory>

#include "mpi/arguments.hpp"
#include "mpi/planned_call.hpp"

namespace espalier::mpi {

/// Elements of the user, as a call describes them.
struct UserData {
  std::byte* address = nullptr;  ///< element 0, as MPI wants it; inputs are never written
  std::uint64_t count = 0;
  Layout layout = byte_layout();

  [[nodiscard]] std::uint64_t bytes() const {
    return count * static_cast<std::uint64_t>(layout.size);
  }
};

/// A call that moves equal blocks without combining, as this rank sees it. In place, `in` lies
/// within `out`.
struct Move {
  schedule::Operation operation;
  Rank root = 0;
  std::uint64_t block = 0;  ///< bytes of a block
  UserData in = {};
  UserData out = {};
  bool in_place = false;
  bool drops_out = false;  ///< a scatter's root in place: its own block stays where it is
};

[[nodiscard]] inline Planned plan_move(Communicator& comm, const Move& move) {
  return plan_call(comm, {move.operation, move.root, move.block},
                   move.in_place && move.out.layout.dense);
}
/// Runs it along its plan. @return an MPI error code
/// @param staged what is copied besides
[[nodiscard]] int run_move(Communicator& comm, const runtime::CachedPlan& plan, const Move& move,
                           Staged staged = {});

/// Gather and scatter. A root may be wrong where the others are right: they run the plan. So the
/// root finds the plan too, by what its own block tells, before it looks at the rest; if that is
/// wrong the MPI library says so, and the number of the call is used up, in step with them.
[[nodiscard]] Outcome move_rooted(Communicator& comm, const LocalCall& call);

// Those that do not block.
[[nodiscard]] Outcome start_rooted(Communicator& comm, const LocalCall& call, const Starting& how);
[[nodiscard]] inline std::unique_ptr<PendingCall> plan_pending(Communicator& comm,
                                                               const Starting& how,
                                                               const Move& move) {
  return plan_pending(comm, how, {move.operation, move.root, move.block},
                      move.in_place && move.out.layout.dense);
}
/// Lets its types be those of the call, which stay: the program may free its own.
void keep_types(Move& move, PendingCall& pending);
/// Starts it along its plan. @pre keep_types()
[[nodiscard]] Outcome start_move(Communicator& comm, const Move& move,
                                 std::unique_ptr<PendingCall> pending, const Starting& how);

/// Whether a side of a call may describe data in memory.
[[nodiscard]] inline bool may_be_data(const Side& side) {
  return may_be_data(side.buffer, side.count, side.type);
}

/// Whether this MPI refuses `one` as the rank's own block among `all`: the same type, count and
/// address. Other types at the same address may describe other bytes, and so may those at
/// MPI_BOTTOM. MPICH looks for the own block as if there were no gaps between elements.
/// @param before bytes of the blocks before the own one
[[nodiscard]] inline bool is_refused_alias(const Side& one, const Side& all, std::uint64_t before) {
  if (!kRefusesAliases || one.buffer == nullptr || one.count == 0) return false;
  return one.count == all.count && one.type == all.type &&
         one.buffer == bytes_at(all.buffer) + before;
}
/// So many blocks of what a side describes.
[[nodiscard]] inline UserData blocks_at(const Side& side, int blocks) {
  return {bytes_at(side.buffer),
          static_cast<std::uint64_t>(side.count) * static_cast<std::uint64_t>(blocks),
          layout_of(side.type)};
}
/// One of the blocks of `all`, which has so many elements.
[[nodiscard]] inline UserData block_of(const UserData& all, int block, std::int64_t count) {
  return {all.address + static_cast<std::int64_t>(block) * count * all.layout.extent,
          static_cast<std::uint64_t>(count), all.layout};
}

}  // namespace espalier::mpi
