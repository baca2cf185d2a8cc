#include "collective/round_steps.hpp"

#include <algorithm>
#include <bit>

#include "collective/halving.hpp"

namespace espalier::collective {

using cost::Picos;
using cost::Rounds;
using Message = Rounds::RoundMessage;

void butterfly(Rounds& rounds, std::span<const Rank> members, const Butterfly& how,
               const std::function<double(Rank active, Rank mask)>& bytes) {
  const auto size = static_cast<Rank>(members.size());
  if (size < 2) return;
  const Fold fold(size, how.keep);
  const Rank actives = fold.actives();
  std::vector<Message> messages;
  const auto add_pairs = [&](bool inwards, double weight) {
    for (Rank p = 0; p < size; ++p) {
      if (fold.is_active(p)) continue;
      const Rank active = members[fold.partner(p)];
      messages.push_back(inwards ? Message{members[p], active, weight}
                                 : Message{active, members[p], weight});
    }
  };
  const auto add_step = [&](Rank mask, auto takes_part) {
    for (Rank a = 0; a < actives; ++a) {
      if (!takes_part(a)) continue;
      messages.push_back(
          {members[fold.position(a)], members[fold.position(a ^ mask)], bytes(a, mask)});
    }
  };
  const auto exchange = [&](bool combines) {
    if (!messages.empty()) rounds.exchange(messages, combines);
    messages.clear();
  };
  // Who stands alone begins its first step while the pairs still fold.
  const auto is_pair = [&](Rank a) { return fold.partner(fold.position(a)) != kNoRank; };
  add_pairs(true, how.fold_in);
  for (Rank k = 1; k < actives; k *= 2) {
    const Rank mask = how.rising ? k : actives / (2 * k);
    if (k == 1 && fold.extra() > 0 && how.fold_in > 0) {
      add_step(mask, [&](Rank a) { return !is_pair(a); });
      exchange(how.combines);
      add_step(mask, is_pair);
    } else {
      if (k == 1) exchange(how.combines);
      add_step(mask, [](Rank) { return true; });
    }
    exchange(how.combines);
  }
  exchange(how.combines);
  add_pairs(false, how.fold_out);
  exchange(false);
}

void pieces_to_one(Rounds& rounds, std::span<const Rank> members, Rank to,
                   const std::function<double(Rank mask)>& bytes) {
  const Fold fold(static_cast<Rank>(members.size()), to);
  const Rank target = fold.active_of(to);
  std::vector<Message> messages;
  for (Rank mask = fold.actives() / 2; mask > 0; mask /= 2) {
    messages.clear();
    for (Rank apart = mask; apart < 2 * mask; ++apart) {  // those that have all the rest
      const Rank from = target ^ apart;
      messages.push_back(
          {members[fold.position(from)], members[fold.position(from ^ mask)], bytes(mask)});
    }
    rounds.exchange(messages);
  }
}

void halving(Rounds& rounds, std::span<const Rank> members, bool rising, double block) {
  const auto size = static_cast<Rank>(members.size());
  const Fold fold(size);
  butterfly(rounds, members, {rising, true, block * size, block}, [&](Rank active, Rank mask) {
    const Rank peer = active ^ mask;
    if (!rising) {
      const Rank begin = peer / mask * mask;
      return block * (fold.first(begin + mask) - fold.first(begin));
    }
    const Rank start = peer % (2 * mask);
    const Rank pairs =
        fold.extra() > start ? (fold.extra() - start + 2 * mask - 1) / (2 * mask) : 0;
    const Rank blocks = fold.actives() / (2 * mask) + pairs;
    return block * blocks;
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
  const Rank stride = pairwise_stride(size);
  std::vector<Message> messages;
  for (Rank step = 1; step < size; step += stride) {
    messages.clear();
    for (Rank p = 0; p < size; ++p) {
      messages.push_back({members[p], members[by_xor ? p ^ step : (p + step) % size], bytes});
    }
    const Picos before = rounds.finish();
    rounds.exchange(messages, combines);
    const Rank stands_for = std::min(stride, size - step);
    if (stands_for > 1) rounds.repeat(members, stands_for - 1, rounds.finish() - before);
  }
}

}  // namespace espalier::collective
