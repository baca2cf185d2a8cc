#include <bit>

#include "base/contract.hpp"
#include "collective/halving.hpp"
#include "collective/messages.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

Fold::Fold(Rank size, Rank keep)
    : actives_(std::bit_floor(size)), extra_(size - actives_), keep_(keep) {
  expects(size > 0, "Fold: nobody");
}

Rank Fold::active_of(Rank position) const {
  return position < 2 * extra_ ? position / 2 : position - extra_;
}

Rank Fold::position(Rank active) const {
  if (active >= extra_) return active + extra_;
  return keep_ == 2 * active + 1 ? keep_ : 2 * active;
}

Rank Fold::partner(Rank position) const { return position < 2 * extra_ ? position ^ 1U : kNoRank; }

void fold_in(ProgramBuilder& program, const Participants& participants, const Fold& fold,
             const Region& data, std::uint64_t spare) {
  const Rank partner = fold.partner(participants.me);
  if (partner == kNoRank) return;
  if (!fold.is_active(participants.me)) {
    send_unless_empty(program, participants.at(partner), data);
    return;
  }
  const Region received = slice(Buffer::Scratch, spare, data.length);
  recv_unless_empty(program, participants.at(partner), received);
  reduce_unless_empty(program, received, data,
                      partner < participants.me ? Operands::FromThenTo : Operands::ToThenFrom);
}

void fold_out(ProgramBuilder& program, const Participants& participants, const Fold& fold,
              const Region& data) {
  const Rank partner = fold.partner(participants.me);
  if (partner == kNoRank) return;
  if (fold.is_active(participants.me)) {
    send_unless_empty(program, participants.at(partner), data);
  } else {
    recv_unless_empty(program, participants.at(partner), data);
  }
}

}  // namespace espalier::collective
