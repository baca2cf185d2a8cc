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

}  // namespace espalier::collective
