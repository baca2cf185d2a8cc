#include "collective/halving.hpp"
#include "collective/messages.hpp"

namespace espalier::collective {

using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;

namespace {

/// The pair's contributions combined, in scratch, at the active one.
BlockLayout join_pair(ProgramBuilder& program, const Participants& participants, Rank partner,
                      const BlockLayout& contributions) {
  const Rank size = participants.size();
  BlockLayout joined = contributions.packed(contributions.around(0, size),
                                            program.scratch(contributions.units(0, size)));
  const Region all = joined.region(program, 0, size);
  recv_unless_empty(program, participants.at(partner), all);
  reduce_unless_empty(program, contributions.region(program, 0, size), all,
                      participants.me < partner ? Operands::FromThenTo : Operands::ToThenFrom);
  return joined;
}

}  // namespace

void halve_blocks(ProgramBuilder& program, const Participants& participants, const Fold& fold,
                  const BlockLayout& contributions, const Region& mine,
                  std::span<const Rank> distances,
                  const std::function<BlockHalves(Rank active, Rank distance)>& halves) {
  const Rank partner = fold.partner(participants.me);
  if (!fold.is_active(participants.me)) {
    send_unless_empty(program, participants.at(partner),
                      contributions.region(program, 0, participants.size()));
    recv_unless_empty(program, participants.at(partner), mine);
    return;
  }
  BlockLayout list = contributions;
  if (partner != kNoRank) list = join_pair(program, participants, partner, contributions);
  const Rank index = fold.active_of(participants.me);
  bool done = false;  // the last half may be received where it stays
  for (const Rank distance : distances) {
    const Rank peer = index ^ distance;
    const BlockHalves half = halves(index, distance);
    done = partner == kNoRank && half.kept.size() == 1;
    const std::uint64_t scratch = program.scratch(done ? 0 : list.units(half.kept));
    const BlockLayout next = list.packed(half.kept, scratch);
    const Region combined = done ? mine : next.region(program, 0, next.blocks());
    send_unless_empty(program, participants.at(fold.position(peer)),
                      list.region(program, half.given));
    recv_unless_empty(program, participants.at(fold.position(peer)), combined);
    reduce_unless_empty(program, list.region(program, half.kept), combined,
                        index < peer ? Operands::FromThenTo : Operands::ToThenFrom);
    list = next;
  }
  if (done) return;
  const Rank first = fold.first(index);
  copy_unless_empty(program, list.region(program, participants.me - first), mine);
  if (partner == kNoRank) return;
  send_unless_empty(program, participants.at(partner), list.region(program, partner - first));
}

}  // namespace espalier::collective
