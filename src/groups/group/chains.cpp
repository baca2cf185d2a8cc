#include "group/chains.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::group {

Chains::Chains(Tag tag, const GroupView& parent) : parent_(parent), tag_(tag) {
  expects(parent.numbering == Numbering::World, "this baseline splits the world only");
}

void Chains::enter(Colour colour, Endpoint& endpoint) {
  entered_ = true;
  member_ = colour != kNoColour;
  self_ = endpoint.self();
  if (!done()) send_round(endpoint);
  advance(endpoint);
}

void Chains::receive(const Message& message, Endpoint& endpoint) {
  const Words& words = message.words;
  early_[words[1]][words[0]] = {words[2], words[3]};
  advance(endpoint);
}

/// To the process 2^round to the right what is known of the left, this one included; and vice
/// versa.
void Chains::send_round(Endpoint& endpoint) {
  const std::uint64_t distance = std::uint64_t{1} << round_;
  for (std::uint32_t side = 0; side < 2; ++side) {
    const std::int64_t to =
        std::int64_t{self_} + (side == 0 ? 1 : -1) * static_cast<std::int64_t>(distance);
    if (to < 0 || to >= parent_.size) continue;
    const Side& known = sides_[side];
    Words words{round_, side, known.count + Rank{member_}, member_ ? self_ : known.nearest};
    endpoint.send(static_cast<Id>(to), {tag_, 0, Kind::Scan, 1, std::move(words)});
  }
}

bool Chains::expects_from(std::size_t side, Id self) const {
  const std::uint64_t distance = std::uint64_t{1} << round_;
  return side == 0 ? self >= distance : self + distance < parent_.size;
}

void Chains::advance(Endpoint& endpoint) {
  while (entered_ && !done()) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (expects_from(side, self_) && !early_[side].contains(round_)) return;
    }
    for (std::size_t side = 0; side < 2; ++side) {
      if (!expects_from(side, self_)) continue;
      const Side further = early_[side][round_];
      early_[side].erase(round_);
      sides_[side].count += further.count;
      if (sides_[side].nearest == kNobody) sides_[side].nearest = further.nearest;
    }
    ++round_;
    if (!done()) send_round(endpoint);
  }
}

GroupView Chains::view() const {
  GroupView view;
  if (!member_) return view;
  view.size = sides_[0].count + 1 + sides_[1].count;
  view.rank = sides_[0].count;
  view.parent = sides_[0].nearest;
  view.degree = 1;
  view.depth = static_cast<std::uint16_t>(std::min<Rank>(view.rank, 65535));
  view.numbering = Numbering::Heap;
  if (sides_[1].nearest != kNobody) view.children.push_back(sides_[1].nearest);
  return view;
}

std::size_t Chains::bytes() const {
  constexpr std::size_t kNode = 48;  // about the size of a node of std::map
  return sizeof(*this) + (early_[0].size() + early_[1].size()) * (kNode + sizeof(Side));
}

}  // namespace espalier::group
