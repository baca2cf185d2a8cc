#include <algorithm>

#include "base/contract.hpp"
#include "collective/ordered_reduce.hpp"

namespace espalier::collective {

using schedule::Axis;
using schedule::Buffer;
using schedule::IndexSet;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

Region share_of_slots(ProgramBuilder& program, const RunSlots& runs, const IndexSet& slots,
                      const VectorShare& share) {
  Region region = slice(runs.buffer, runs.offset + share.offset, share.unit);
  region.outer = Axis{program.set(slots), runs.stride};
  region.inner = Axis{program.set(share.indices), share.unit};
  return region;
}

struct Piece {
  Rank first = 0;  // of its run
  Region region;
};

}  // namespace

void exchange_runs(ProgramBuilder& program, const Participants& participants,
                   std::span<const std::vector<RankRun>> runs_of, const RunSlots& mine,
                   const std::function<VectorShare(Rank position)>& share_of,
                   const Region& result) {
  expects(
      runs_of.size() == participants.size() && runs_of[participants.me].size() == mine.slots.size(),
      "exchange_runs: not the runs of each member");
  for (Rank step = 1; step < participants.size(); ++step) {
    const Rank to = (participants.me + step) % participants.size();
    program.send(participants[to], share_of_slots(program, mine, mine.slots, share_of(to)));
  }
  std::vector<Piece> pieces;
  std::size_t next = 0;
  mine.slots.for_each([&](std::uint64_t slot) {
    pieces.push_back(
        {runs_of[participants.me][next++].first,
         share_of_slots(program, mine, IndexSet::single(slot), share_of(participants.me))});
  });
  for (Rank step = 1; step < participants.size(); ++step) {
    const Rank from = (participants.me + participants.size() - step) % participants.size();
    const std::uint64_t units = runs_of[from].size() * result.length;
    const std::uint64_t room = program.scratch(units);
    program.recv(participants[from], slice(Buffer::Scratch, room, units));
    for (std::size_t i = 0; i < runs_of[from].size(); ++i) {
      pieces.push_back({runs_of[from][i].first,
                        slice(Buffer::Scratch, room + i * result.length, result.length)});
    }
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.first < b.first; });
  program.copy(pieces.front().region, result);
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    program.reduce(pieces[i].region, result, Operands::ToThenFrom);
  }
}

}  // namespace espalier::collective
