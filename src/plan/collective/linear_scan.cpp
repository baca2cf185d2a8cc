#include "collective/flat_algorithm.hpp"
#include "collective/messages.hpp"
#include "collective/scan.hpp"
#include "collective/tree_links.hpp"

namespace espalier::collective {

using schedule::Operation;

using schedule::Buffer;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

/// Two segments of scratch in turn.
std::uint64_t make_slots(ProgramBuilder& program, const Region& data, std::uint64_t segment) {
  return program.scratch(segment_count(data, segment) == 1 ? data.length : 2 * segment);
}

Region slot(std::uint64_t slots, std::uint64_t s, std::uint64_t segment, const Region& part) {
  return slice(Buffer::Scratch, slots + (s % 2) * segment, part.length);
}

}  // namespace

void linear_scan(ProgramBuilder& program, const Participants& participants, const Region& data,
                 std::uint64_t segment) {
  const std::uint64_t slots = participants.me > 0 ? make_slots(program, data, segment) : 0;
  for (std::uint64_t s = 0; s < segment_count(data, segment); ++s) {
    const Region part = segment_of(data, segment, s);
    if (participants.me > 0) {
      const Region received = slot(slots, s, segment, part);
      recv_unless_empty(program, participants[participants.me - 1], received);
      reduce_unless_empty(program, received, part, Operands::FromThenTo);
    }
    if (participants.me + 1 < participants.size())
      send_unless_empty(program, participants[participants.me + 1], part);
  }
}

void linear_exscan(ProgramBuilder& program, const Participants& participants, const Region& own,
                   const Region& before, std::uint64_t segment) {
  const bool is_last = participants.me + 1 == participants.size();
  const bool adds = participants.me > 0 && !is_last;
  const std::uint64_t slots = adds ? make_slots(program, own, segment) : 0;
  for (std::uint64_t s = 0; s < segment_count(own, segment); ++s) {
    Region sum = segment_of(own, segment, s);
    if (participants.me > 0) {
      const Region part = segment_of(before, segment, s);
      recv_unless_empty(program, participants[participants.me - 1], part);
      if (adds) {
        const Region mine = sum;
        sum = slot(slots, s, segment, part);
        copy_unless_empty(program, mine, sum);
        reduce_unless_empty(program, part, sum, Operands::FromThenTo);
      }
    }
    if (!is_last) send_unless_empty(program, participants[participants.me + 1], sum);
  }
}

namespace {

/// Each waits for the one before: a way through all ranks.
void linear_scan_time(FlatEstimate& at) {
  for (std::size_t p = 0; p + 1 < at.everybody.size(); ++p) {
    const cost::Rounds::RoundMessage message{at.everybody[p], at.everybody[p + 1], at.bytes};
    at.rounds.exchange({&message, 1}, true, true);
  }
}

cost::Picos linear_scan_least(LeastFlat& at) { return least_up(at, Shape::Chain, 0); }

}  // namespace

constexpr Algorithm kLinearScan =
    flat<any_size,
         [](ProgramBuilder& program, const FlatCall& call) {
           copy_unless_empty(program, call.in(), call.out());
           linear_scan(program, call.participants, call.out(), 0);
         },
         linear_scan_time, linear_scan_least>(Operation::Scan, "linear", kSandersTraeff, kMoves);

constexpr Algorithm kLinearExscan =
    flat<any_size,
         [](ProgramBuilder& program, const FlatCall& call) {
           linear_exscan(program, call.participants, call.in(), call.out(), 0);
         },
         linear_scan_time, linear_scan_least>(Operation::Exscan, "linear", kSandersTraeff, kMoves);

}  // namespace espalier::collective
