#include "collective/flat_algorithm.hpp"
#include "collective/messages.hpp"
#include "collective/scan.hpp"

namespace espalier::collective {

using schedule::Operation;

using schedule::Buffer;
using schedule::Operands;
using schedule::Region;
using schedule::slice;

void recursive_doubling_scan(schedule::ProgramBuilder& program, const Participants& participants,
                             const Region& data) {
  const std::uint64_t spare = program.scratch(participants.me > 0 ? data.length : 0);
  const Region received = slice(Buffer::Scratch, spare, data.length);
  for (std::uint64_t distance = 1; distance < participants.size(); distance *= 2) {
    const auto d = static_cast<Rank>(distance);
    if (participants.me + distance < participants.size()) {
      send_unless_empty(program, participants[participants.me + d], data);
    }
    if (participants.me < d) continue;
    recv_unless_empty(program, participants[participants.me - d], received);
    reduce_unless_empty(program, received, data, Operands::FromThenTo);
  }
}

namespace {

void recursive_doubling_scan_time(FlatEstimate& at, std::span<const Rank> members) {
  std::vector<cost::Rounds::RoundMessage> messages;
  for (std::size_t distance = 1; distance < members.size(); distance *= 2) {
    messages.clear();
    for (std::size_t p = 0; p + distance < members.size(); ++p) {
      messages.push_back({members[p], members[p + distance], at.bytes});
    }
    at.rounds.exchange(messages, true, true);
  }
}

}  // namespace

constexpr Algorithm kRecursiveDoublingScan =
    flat<any_size, in_out<recursive_doubling_scan>, scan_time<recursive_doubling_scan_time>,
         least_doubling_scan>(Operation::Scan, "recursive-doubling", kHillisSteele, kMoves);

constexpr Algorithm kRecursiveDoublingExscan =
    flat<any_size, exscan_of<recursive_doubling_scan>, exscan_time<recursive_doubling_scan_time>,
         least_doubling_scan>(Operation::Exscan, "recursive-doubling", kHillisSteele, kMoves);

}  // namespace espalier::collective
