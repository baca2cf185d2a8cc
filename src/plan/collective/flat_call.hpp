#pragma once

#include <bit>

#include "collective/block_layout.hpp"
#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// A flat call seen from one rank: its participants, and the buffers of the table in
/// schedule/collective.hpp.
struct FlatCall {
  FlatCall(const schedule::Collective& call, Rank rank)
      : participants(all_participants(call.size, rank)), root(call.root), block(call.block()) {}

  Participants participants;
  Rank root;
  std::uint64_t block;

  [[nodiscard]] Rank me() const { return participants.me; }
  [[nodiscard]] schedule::Region in() const {
    return schedule::slice(schedule::Buffer::In, 0, block);
  }
  [[nodiscard]] schedule::Region out() const {
    return schedule::slice(schedule::Buffer::Out, 0, block);
  }
  [[nodiscard]] BlockLayout in_blocks() const {
    return BlockLayout::uniform(schedule::Buffer::In, 0, participants.size(), block);
  }
  [[nodiscard]] BlockLayout out_blocks() const {
    return BlockLayout::uniform(schedule::Buffer::Out, 0, participants.size(), block);
  }
};

// How many ranks an algorithm serves.
inline bool any_size(Rank) { return true; }
inline bool power_of_two(Rank size) { return std::has_single_bit(size); }
inline bool even_or_one(Rank size) { return size == 1 || size % 2 == 0; }

// The papers, as the registry names them.
inline constexpr std::string_view kThakur = "Thakur, Rabenseifner, Gropp, IJHPCA 2005";
inline constexpr std::string_view kRabenseifner = "Rabenseifner, ICCS 2004";
inline constexpr std::string_view kPjesivac = "Pjesivac-Grbovic et al., Cluster Computing 2007";
inline constexpr std::string_view kBruck = "Bruck et al., IEEE TPDS 1997";
inline constexpr std::string_view kPatarasuk = "Patarasuk, Yuan, JPDC 2009";
inline constexpr std::string_view kSandersTraeff = "Sanders, Traeff, EuroPVM/MPI 2006";

}  // namespace espalier::collective
