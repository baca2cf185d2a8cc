#pragma once

#include <bit>

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"
#include "collective/partition.hpp"
#include "schedule/collective.hpp"
#include "schedule/program_builder.hpp"
#include "topology/machine.hpp"

namespace espalier::collective {

/// All ranks of a machine, by number or as they lie in it.
///
/// Along the machine a ring enters and leaves each cluster once, ranges of positions are clusters,
/// and partners that are near by number are near in fact. Steps and bytes stay as they are.
/// G. Mercier, E. Jeannot: "Improving MPI applications performance on multicore clusters with rank
/// reordering", EuroMPI 2011, LNCS 6960, does it to whole applications.
[[nodiscard]] std::vector<Rank> all_ranks(const topology::Machine& machine, RankOrder order);

/// A classical algorithm's call seen from one rank: its participants, and the buffers of the table
/// in schedule/collective.hpp. Blocks stand in the order of the participants.
struct FlatCall {
  FlatCall(const schedule::Collective& call, const topology::Machine& machine, RankOrder order,
           Rank rank);

  Participants participants;
  RankOrder order;
  Rank rank;
  Rank root;  ///< position of the root
  std::uint64_t block;
  Bytes element;

  [[nodiscard]] schedule::Region in() const {
    return schedule::slice(schedule::Buffer::In, 0, block);
  }
  [[nodiscard]] schedule::Region out() const {
    return schedule::slice(schedule::Buffer::Out, 0, block);
  }
  [[nodiscard]] BlockLayout in_blocks() const { return blocks(schedule::Buffer::In); }
  [[nodiscard]] BlockLayout out_blocks() const { return blocks(schedule::Buffer::Out); }
  /// This rank's own block of Out.
  [[nodiscard]] schedule::Region own_place() const {
    return schedule::slice(schedule::Buffer::Out, rank * block, block);
  }

 private:
  [[nodiscard]] BlockLayout blocks(schedule::Buffer buffer) const;
};

// How many ranks an algorithm serves.
inline bool any_size(Rank) { return true; }
inline bool power_of_two(Rank size) { return std::has_single_bit(size); }
inline bool even_or_one(Rank size) { return size == 1 || size % 2 == 0; }

}  // namespace espalier::collective
