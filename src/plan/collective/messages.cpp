#include "collective/messages.hpp"

#include <optional>
#include <vector>

namespace espalier::collective {

using schedule::IndexSet;
using schedule::ProgramBuilder;
using schedule::Region;

namespace {

/// The region of peer p is `region`, shifted by p * stride.
struct Family {
  std::vector<Rank> peers;
  Region region;
  std::uint64_t stride = 0;
};

bool same_but_for_offset(Region a, const Region& b) {
  a.offset = b.offset;
  return a == b;
}

/// The family of two messages, if there is one.
std::optional<Family> family_of(const PeerRegion& a, const PeerRegion& b) {
  if (!same_but_for_offset(a.region, b.region) || a.peer == b.peer) return std::nullopt;
  const bool rising = b.peer > a.peer;
  const PeerRegion& low = rising ? a : b;
  const PeerRegion& high = rising ? b : a;
  if (high.region.offset < low.region.offset) return std::nullopt;
  const std::uint64_t apart = high.region.offset - low.region.offset;
  const std::uint64_t peers_apart = high.peer - low.peer;
  if (apart % peers_apart != 0) return std::nullopt;
  Family family{{a.peer, b.peer}, a.region, apart / peers_apart};
  if (family.stride * a.peer > a.region.offset) return std::nullopt;  // would begin before 0
  family.region.offset -= family.stride * a.peer;
  return family;
}

bool fits(const Family& family, const PeerRegion& message) {
  return same_but_for_offset(family.region, message.region) &&
         message.region.offset == family.region.offset + family.stride * message.peer;
}

/// Greedily from the left.
std::vector<Family> families(std::span<const PeerRegion> messages) {
  std::vector<Family> found;
  std::optional<PeerRegion> alone;  // the last family, while it has one member
  for (const PeerRegion& message : messages) {
    if (message.region.length == 0) continue;
    if (alone.has_value()) {
      if (auto pair = family_of(*alone, message)) {
        found.back() = std::move(*pair);
        alone.reset();
        continue;
      }
    } else if (!found.empty() && fits(found.back(), message)) {
      found.back().peers.push_back(message.peer);
      continue;
    }
    found.push_back({{message.peer}, message.region, 0});
    alone = message;
  }
  return found;
}

}  // namespace

void send_families(ProgramBuilder& program, std::span<const PeerRegion> messages,
                   std::uint32_t tag) {
  for (const Family& family : families(messages)) {
    if (family.peers.size() == 1) {
      program.send(family.peers.front(), family.region, tag);
    } else {
      program.send_each(IndexSet(family.peers), family.region, family.stride, tag);
    }
  }
}

void recv_families(ProgramBuilder& program, std::span<const PeerRegion> messages,
                   std::uint32_t tag) {
  for (const Family& family : families(messages)) {
    if (family.peers.size() == 1) {
      program.recv(family.peers.front(), family.region, tag);
    } else {
      program.recv_each(IndexSet(family.peers), family.region, family.stride, tag);
    }
  }
}

}  // namespace espalier::collective
