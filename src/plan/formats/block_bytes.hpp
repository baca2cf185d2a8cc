#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "base/expected.hpp"
#include "schedule/schedule.hpp"

namespace espalier::formats {

/// What each message and local op of a v form moves, in bytes, in this very call: lengths travel
/// with the data, so the whole schedule is run through.
struct BlockBytes {
  /// Bytes of each message, keyed by op_key and peer.
  std::map<std::pair<std::uint64_t, Rank>, std::uint64_t> messages;
  std::map<std::uint64_t, std::uint64_t> local;  ///< bytes of each local op, keyed by op_key

  static constexpr std::uint64_t op_key(Rank rank, std::uint32_t op) {
    return (std::uint64_t{rank} << 32U) | op;
  }
};

/// An error if messages do not pair up or wait for each other.
/// @pre schedule.call.irregular(), and its structure is sound
Expected<BlockBytes> block_bytes(const schedule::Schedule& schedule);

/// The first finding about a schedule as an Error.
Error refusal(const std::string& what, const std::string& finding);

}  // namespace espalier::formats
