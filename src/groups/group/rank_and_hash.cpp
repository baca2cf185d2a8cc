// A. Langer, R. Venkataraman, L. Kale: "Scalable algorithms for constructing balanced spanning
// trees on system-ranked process groups", EuroMPI 2012, section 5.
#include "group/rank_and_hash.hpp"

#include <algorithm>
#include <numeric>

namespace espalier::group {

RankAndHash::RankAndHash(Tag tag, const GroupView& parent, const ConstructionOptions& options)
    : parent_(parent),
      exchange_(tag, parent, options.degree, options.routable),
      tag_(tag),
      missing_(parent.children.size()) {
  counts_.assign(parent.children.size(), 0);
}

void RankAndHash::enter(Colour colour, Endpoint& endpoint) {
  entered_ = true;
  member_ = colour != kNoColour;
  pass_up(endpoint);
}

void RankAndHash::receive(const Message& message, Endpoint& endpoint) {
  if (exchange_.receive(message, endpoint)) return;
  if (message.kind == Kind::Up) {
    const auto child = std::find(parent_.children.begin(), parent_.children.end(), message.from);
    counts_[static_cast<std::size_t>(child - parent_.children.begin())] = message.words[0];
    --missing_;
    return pass_up(endpoint);
  }
  pass_down(message.words[0], message.words[1], endpoint);
}

void RankAndHash::pass_up(Endpoint& endpoint) {
  if (!entered_ || missing_ > 0) return;
  const Rank below = std::accumulate(counts_.begin(), counts_.end(), Rank{member_});
  if (parent_.parent == kNobody) return pass_down(0, below, endpoint);
  endpoint.send(parent_.parent, {tag_, 0, Kind::Up, 0, Words{below}});
}

void RankAndHash::pass_down(Rank first, Rank size, Endpoint& endpoint) {
  Rank next = first + Rank{member_};
  for (std::uint32_t c = 0; c < counts_.size(); ++c) {
    const Kind kind = counts_[c] > 0 ? Kind::Down : Kind::DownEmpty;
    endpoint.send(parent_.children[c], {tag_, 0, kind, 0, Words{next, size}});
    next += counts_[c];
  }
  counts_.clear();
  exchange_.set_total(size);
  if (member_) exchange_.announce(first, {size, 0}, endpoint);
  ranked_ = true;
}

std::size_t RankAndHash::bytes() const {
  return sizeof(*this) + exchange_.bytes_on_heap() + counts_.bytes_on_heap();
}

}  // namespace espalier::group
