#include "collective/flat_algorithm.hpp"
#include "collective/messages.hpp"
#include "collective/scan.hpp"

namespace espalier::collective {

using schedule::Operation;

using schedule::Buffer;
using schedule::Operands;
using schedule::Region;
using schedule::slice;

void direct_scan(schedule::ProgramBuilder& program, const Participants& participants,
                 const Region& own, const Region& result) {
  for (Rank p = participants.me + 1; p < participants.size(); ++p)
    send_unless_empty(program, participants[p], own);
  copy_unless_empty(program, own, result);
  const std::uint64_t others = program.scratch(participants.me * own.length);
  for (Rank p = participants.me; p-- > 0;) {  // the nearest first: it is put before what is there
    const Region part = slice(Buffer::Scratch, others + p * own.length, own.length);
    recv_unless_empty(program, participants[p], part);
    reduce_unless_empty(program, part, result, Operands::FromThenTo);
  }
}

using schedule::Buffer;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

void direct_exscan(ProgramBuilder& program, const Participants& participants, const Region& own,
                   const Region& before) {
  for (Rank p = participants.me + 1; p < participants.size(); ++p)
    send_unless_empty(program, participants[p], own);
  if (participants.me == 0) return;
  // The nearest first: those that send to few after them are done first, and who takes messages one
  // by one does not wait for the last one to come.
  recv_unless_empty(program, participants[participants.me - 1], before);
  const std::uint64_t others = program.scratch((participants.me - 1) * own.length);
  for (Rank p = participants.me - 1; p-- > 0;) {
    const Region part = slice(Buffer::Scratch, others + p * own.length, own.length);
    recv_unless_empty(program, participants[p], part);
    reduce_unless_empty(program, part, before, Operands::FromThenTo);
  }
}

namespace {

cost::Picos direct_scan_time(FlatEstimate& at) { return all_combine(at, at.bytes, true); }

cost::Picos direct_scan_least(LeastFlat& at) {
  return least_all_combine(at, at.bytes * (at.call.size - 1 - at.call.size / 2) / (at.size - 1));
}

bool regular_direct_scan(RegularRounds& rounds, const schedule::Collective&, double bytes) {
  return rounds.all_combine(bytes, true);
}

}  // namespace

constexpr Algorithm kDirectScan = on_regular_machines<regular_direct_scan>(
    flat<serves_direct_scan, from_in_to_out<direct_scan>, direct_scan_time, direct_scan_least>(
        Operation::Scan, "direct", kByDefinition, meeting_all(Operation::Scan)));

constexpr Algorithm kDirectExscan = on_regular_machines<regular_direct_scan>(
    flat<serves_direct_scan, from_in_to_out<direct_exscan>, direct_scan_time, direct_scan_least>(
        Operation::Exscan, "direct", kByDefinition, meeting_all(Operation::Exscan)));

}  // namespace espalier::collective
