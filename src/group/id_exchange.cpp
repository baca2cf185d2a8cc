#include "group/id_exchange.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "group/route.hpp"

namespace espalier::group {

IdExchange::IdExchange(Tag tag, const Place& parent, Rank degree, bool routable)
    : tag_(tag), parent_(parent), routable_(routable) {
  expects(degree > 0 && degree < 255, "Rank-and-Hash: the degree must be from 1 to 254");
  place_.degree = static_cast<std::uint16_t>(degree);
  place_.numbering = Numbering::Heap;
}

/// Groups made at the same time should not all have the same intermediaries.
Rank IdExchange::shifted(Rank index) const {
  const std::uint64_t shift = (tag_ * 0x9e3779b97f4a7c15ULL >> 32U) % parent_.size;
  return static_cast<Rank>((index + shift) % parent_.size);
}

Rank IdExchange::true_children(Rank rank, Rank size) const {
  const std::uint64_t first = std::uint64_t{rank} * place_.degree + 1;
  if (first >= size) return 0;
  return static_cast<Rank>(std::min<std::uint64_t>(place_.degree, size - first));
}

void IdExchange::announce(Rank rank, const Group& group, Endpoint& endpoint) {
  place_.rank = rank;
  place_.size = group.size;
  place_.depth = static_cast<std::uint16_t>(heap_depth(rank, place_.degree));
  knows_parent_ = rank == 0;
  knows_children_ = !routable_ && true_children(rank, group.size) == 0;
  tell(rank, 0, group, endpoint);
  const Rank k = place_.degree;
  if (!routable_) {
    if (rank > 0) tell((rank - 1) / k, (rank - 1) % k + 1, group, endpoint);
    return;
  }
  // All i and c with k i + c = rank + t m, c from 1 to k: there are k of them.
  for (std::uint64_t at = rank; at <= std::uint64_t{k} * group.size; at += group.size) {
    if (at > 0) {
      tell(static_cast<Rank>((at - 1) / k), static_cast<Rank>((at - 1) % k + 1), group, endpoint);
    }
  }
}

void IdExchange::tell(Rank about, Rank link, const Group& group, Endpoint& endpoint) {
  Words words{about, group.size, link, endpoint.self()};
  send_routed(parent_, shifted(group.first + about), {tag_, 0, Kind::Announce, 1, std::move(words)},
              endpoint);
}

bool IdExchange::receive(const Message& message, Endpoint& endpoint) {
  const Words& words = message.words;
  switch (message.kind) {
    case Kind::Announce:
      return serve(words, endpoint), true;
    case Kind::Parent:
      place_.parent = words[0];
      knows_parent_ = true;
      return true;
    case Kind::Children:
      place_.children.append(
          std::span<const Id>(words).first(true_children(place_.rank, place_.size)));
      if (routable_) place_.links = words;
      knows_children_ = true;
      return true;
    default:
      return false;
  }
}

void IdExchange::serve(const Words& words, Endpoint& endpoint) {
  const Rank about = words[0], size = words[1];
  const Rank children = true_children(about, size);
  const Rank links = routable_ ? place_.degree : children;
  if (served_.empty()) served_.assign(1 + links, kNobody);
  served_[words[2]] = words[3];
  if (++heard_ < 1 + links) return;
  const Id owner = served_[0];
  for (Rank c = 1; c <= children; ++c) {
    endpoint.send(served_[c], {tag_, 0, Kind::Parent, 1, Words{owner}});
  }
  if (links > 0) {
    Words ids;
    ids.append(std::span<const Id>(served_).subspan(1));
    const auto count = static_cast<std::uint8_t>(links);
    endpoint.send(owner, {tag_, 0, Kind::Children, count, std::move(ids)});
  }
  served_.clear();
  has_served_ = true;
}

bool IdExchange::done() const {
  const Rank index =
      static_cast<Rank>((std::uint64_t{parent_.rank} + parent_.size - shifted(0)) % parent_.size);
  const bool serves = index < total_;
  return (!serves || has_served_) && (!place_.member() || (knows_parent_ && knows_children_));
}

}  // namespace espalier::group
