#include "select/predict_steps.hpp"

#include <bit>

#include "collective/fold.hpp"

namespace espalier::select {

using Message = Rounds::Message;

void butterfly(Rounds& rounds, std::span<const Rank> members, const Butterfly& how,
               const std::function<double(Rank active, Rank mask)>& bytes) {
  const auto size = static_cast<Rank>(members.size());
  if (size < 2) return;
  const collective::Fold fold(size);
  std::vector<Message> messages;
  const auto fold_pairs = [&](bool inwards, double weight) {
    messages.clear();
    for (Rank p = 0; p < size; ++p) {
      if (fold.is_active(p)) continue;
      const Rank active = members[fold.partner(p)];
      messages.push_back(inwards ? Message{members[p], active, weight}
                                 : Message{active, members[p], weight});
    }
    rounds.exchange(messages, inwards && how.combines);
  };
  if (fold.extra() > 0) fold_pairs(true, how.fold_in);
  const Rank actives = fold.actives();
  for (Rank k = 1; k < actives; k *= 2) {
    const Rank mask = how.rising ? k : actives / (2 * k);
    messages.clear();
    for (Rank a = 0; a < actives; ++a) {
      messages.push_back(
          {members[fold.position(a)], members[fold.position(a ^ mask)], bytes(a, mask)});
    }
    rounds.exchange(messages, how.combines);
  }
  if (fold.extra() > 0) fold_pairs(false, how.fold_out);
}

void halving(Rounds& rounds, std::span<const Rank> members, bool rising, double block) {
  const auto size = static_cast<Rank>(members.size());
  const collective::Fold fold(size);
  butterfly(rounds, members, {rising, true, block * size, block}, [&](Rank active, Rank mask) {
    const Rank peer = active ^ mask;
    if (!rising) {
      const Rank begin = peer / mask * mask;
      return block * (fold.first(begin + mask) - fold.first(begin));
    }
    const Rank start = peer % (2 * mask);
    const Rank pairs =
        fold.extra() > start ? (fold.extra() - start + 2 * mask - 1) / (2 * mask) : 0;
    return block * (fold.actives() / (2 * mask) + pairs);
  });
}

void dissemination(Rounds& rounds, std::span<const Rank> members,
                   const std::function<double(Rank distance)>& bytes) {
  const auto size = static_cast<Rank>(members.size());
  std::vector<Message> messages;
  for (Rank distance = 1; distance < size; distance *= 2) {
    messages.clear();
    for (Rank p = 0; p < size; ++p) {
      messages.push_back({members[p], members[(p + distance) % size], bytes(distance)});
    }
    rounds.exchange(messages);
  }
}

void pairwise(Rounds& rounds, std::span<const Rank> members, double bytes, bool combines) {
  const auto size = static_cast<Rank>(members.size());
  const bool by_xor = std::has_single_bit(size) && !combines;
  // Rounds with the same distance as one of the first few look alike on any regular machine; above
  // kAllUpTo members only some are worked out, evenly chosen, each standing for its neighbours.
  constexpr Rank kAllUpTo = 64;
  const Rank stride = size <= kAllUpTo ? 1 : (size - 1 + kAllUpTo - 1) / kAllUpTo;
  std::vector<Message> messages;
  for (Rank step = 1; step < size; step += stride) {
    messages.clear();
    for (Rank p = 0; p < size; ++p) {
      messages.push_back({members[p], members[by_xor ? p ^ step : (p + step) % size], bytes});
    }
    const Picos before = rounds.finish();
    rounds.exchange(messages, combines);
    const Rank stands_for = std::min(stride, size - step);
    if (stands_for > 1) {
      const Picos more = (rounds.finish() - before) * (stands_for - 1);
      for (const Rank r : members) rounds.set_clock(r, rounds.clock(r) + more);
    }
  }
}

}  // namespace espalier::select
