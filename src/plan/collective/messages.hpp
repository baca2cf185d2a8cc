#pragma once

#include <span>

#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// A message and whom it goes to or comes from.
struct PeerRegion {
  Rank peer = kNoRank;
  schedule::Region region;
};

/// One message for each entry, in that order, without waiting for one another. Entries whose
/// regions differ only by a constant times the peers' ranks are one step: everybody's block of an
/// alltoall is one or two, whatever their number. Empty messages are left out.
/// @param tag of every message: no other one between the same two ranks may have it; tags that the
///        builder gives by itself count from 0
void send_families(schedule::ProgramBuilder& program, std::span<const PeerRegion> messages,
                   std::uint32_t tag);
void recv_families(schedule::ProgramBuilder& program, std::span<const PeerRegion> messages,
                   std::uint32_t tag);

// Both ends know how long a block is, so neither tells the other that there is nothing: with fewer
// elements than ranks most messages of a ring are empty. Not for barriers, whose messages are all
// empty and meant.

inline void send_unless_empty(schedule::ProgramBuilder& program, Rank to,
                              const schedule::Region& from) {
  if (from.length > 0) program.send(to, from);
}

inline void recv_unless_empty(schedule::ProgramBuilder& program, Rank from,
                              const schedule::Region& to) {
  if (to.length > 0) program.recv(from, to);
}

inline void copy_unless_empty(schedule::ProgramBuilder& program, const schedule::Region& from,
                              const schedule::Region& to) {
  if (from.length > 0) program.copy(from, to);
}

inline void reduce_unless_empty(schedule::ProgramBuilder& program, const schedule::Region& from,
                                const schedule::Region& to, schedule::Operands operands) {
  if (from.length > 0) program.reduce(from, to, operands);
}

}  // namespace espalier::collective
