#include "group/id_exchange.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "group/endpoint.hpp"

namespace espalier::group {

IdExchange::IdExchange(Tag tag, const GroupView& parent, Rank degree, bool routable, TreeForm shape)
    : tag_(tag), parent_(parent), shape_(shape), routable_(routable) {
  expects(degree > 0 && degree < 255, "Rank-and-Hash: the degree must be from 1 to 254");
  view_.degree = static_cast<std::uint16_t>(degree);
  view_.numbering = shape == TreeForm::Heap ? Numbering::Heap : Numbering::Preorder;
}

/// Groups made at the same time should not all have the same intermediaries.
Rank IdExchange::shifted(Rank index) const {
  const std::uint64_t shift = (tag_ * 0x9e3779b97f4a7c15ULL >> 32U) % parent_.size;
  return static_cast<Rank>((index + shift) % parent_.size);
}

Rank IdExchange::true_children(Rank rank, Rank size) const {
  const std::uint64_t first = std::uint64_t{rank} * view_.degree + 1;
  if (first >= size) return 0;
  return static_cast<Rank>(std::min<std::uint64_t>(view_.degree, size - first));
}

void IdExchange::announce(Rank rank, const NewGroup& group, Endpoint& endpoint) {
  view_.rank = rank;
  view_.size = group.size;
  view_.depth = static_cast<std::uint16_t>(heap_depth(rank, view_.degree));
  knows_parent_ = rank == 0;
  knows_children_ = !routable_ && true_children(rank, group.size) == 0;
  tell(rank, 0, group, endpoint);
  const Rank k = view_.degree;
  if (!routable_) {
    if (rank > 0) tell((rank - 1) / k, (rank - 1) % k + 1, group, endpoint);
    return;
  }
  tell_links(0, group, endpoint);
}

void IdExchange::announce_at(const Vertex& vertex, Rank size, Endpoint& endpoint) {
  const NewGroup group{size, 0};
  children_ = static_cast<Rank>(vertex.children.size());
  view_.rank = vertex.rank;
  view_.size = size;
  view_.depth = static_cast<std::uint16_t>(vertex.depth);
  for (const Hanging& child : vertex.children) view_.below.push_back(child.total);
  knows_parent_ = vertex.parent == kNoRank;
  knows_children_ = !routable_ && children_ == 0;
  tell(vertex.rank, 0, group, endpoint, children_);
  if (!knows_parent_) tell(vertex.parent, vertex.slot, group, endpoint);
  if (routable_) tell_links(view_.degree, group, endpoint);
}

/// All i and c with k i + c = rank + t m, c from 1 to k: there are k of them.
void IdExchange::tell_links(Rank before, const NewGroup& group, Endpoint& endpoint) {
  const Rank k = view_.degree;
  for (std::uint64_t at = view_.rank; at <= std::uint64_t{k} * group.size; at += group.size) {
    if (at == 0) continue;
    tell(static_cast<Rank>((at - 1) / k), before + static_cast<Rank>((at - 1) % k + 1), group,
         endpoint);
  }
}

void IdExchange::tell(Rank about, Rank link, const NewGroup& group, Endpoint& endpoint,
                      Rank children) {
  Words words{about, group.size, link, endpoint.self()};
  if (shape_ == TreeForm::Given && link == 0) words.push_back(children);
  send_routed(parent_, shifted(group.first + about), {tag_, 0, Kind::Announce, 1, std::move(words)},
              endpoint);
}

bool IdExchange::receive(const Message& message, Endpoint& endpoint) {
  const Words& words = message.words;
  switch (message.kind) {
    case Kind::Announce:
      return serve(words, endpoint), true;
    case Kind::Parent:
      view_.parent = words[0];
      knows_parent_ = true;
      return true;
    case Kind::Children:
      take_neighbours(words);
      return true;
    default:
      return false;
  }
}

void IdExchange::take_neighbours(std::span<const Id> ids) {
  const bool heap = shape_ == TreeForm::Heap;
  const Rank count = heap ? true_children(view_.rank, view_.size) : children_;
  view_.children.append(ids.first(count));
  if (routable_) view_.links.append(heap ? ids : ids.subspan(count));
  knows_children_ = true;
}

void IdExchange::serve(const Words& words, Endpoint& endpoint) {
  const Rank about = words[0], size = words[1];
  const Rank links = routable_ ? Rank{view_.degree} : 0;
  if (shape_ == TreeForm::Heap) {
    const Rank children = true_children(about, size);
    const Rank numbers = 1 + std::max(links, children);
    if (served_.empty()) served_.assign(numbers, kNobody);
    served_[words[2]] = words[3];
    if (++heard_ == numbers) introduce(children, endpoint);
    return;
  }
  if (served_.empty()) served_.assign(1 + view_.degree + links, kNobody);
  if (words[2] == 0) served_children_ = words[4];
  served_[words[2]] = words[3];
  ++heard_;
  if (served_children_ == kNoRank || heard_ < 1 + served_children_ + links) return;
  introduce(served_children_, endpoint);
}

/// All have been heard: each is told of the others.
void IdExchange::introduce(Rank children, Endpoint& endpoint) {
  const Id owner = served_[0];
  for (Rank c = 1; c <= children; ++c) {
    endpoint.send(served_[c], {tag_, 0, Kind::Parent, 1, Words{owner}});
  }
  Words ids;
  for (std::uint32_t i = 1; i < served_.size(); ++i) {
    if (served_[i] != kNobody) ids.push_back(served_[i]);
  }
  if (!ids.empty()) {
    const auto count = static_cast<std::uint8_t>(ids.size());
    endpoint.send(owner, {tag_, 0, Kind::Children, count, std::move(ids)});
  }
  served_.clear();
  has_served_ = true;
}

bool IdExchange::done() const {
  const Rank index =
      static_cast<Rank>((std::uint64_t{parent_.rank} + parent_.size - shifted(0)) % parent_.size);
  const bool serves = index < total_;
  return (!serves || has_served_) && (!view_.member() || (knows_parent_ && knows_children_));
}

}  // namespace espalier::group
