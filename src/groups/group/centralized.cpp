// A. Langer, R. Venkataraman, L. Kale: "Scalable algorithms for constructing balanced spanning
// trees on system-ranked process groups", EuroMPI 2012, section 3: the reference.
#include "group/centralized.hpp"

#include <algorithm>

namespace espalier::group {

Centralized::Centralized(Tag tag, const GroupView& parent, const ConstructionOptions& options)
    : parent_(parent),
      tag_(tag),
      degree_(static_cast<std::uint16_t>(options.degree)),
      missing_(parent.children.size()) {}

void Centralized::enter(Colour colour, Endpoint& endpoint) {
  entered_ = true;
  member_ = colour != kNoColour;
  pass_up(endpoint);
}

void Centralized::receive(const Message& message, Endpoint& endpoint) {
  const Words& words = message.words;
  if (message.kind == Kind::Up) {
    if (lists_.empty()) lists_.resize(parent_.children.size());
    const auto child = std::find(parent_.children.begin(), parent_.children.end(), message.from);
    lists_[static_cast<std::size_t>(child - parent_.children.begin())] = words;
    --missing_;
    return pass_up(endpoint);
  }
  if (message.kind == Kind::List) {
    return scatter(0, words.size(), kNobody, words, endpoint);
  }
  scatter(words[0], words[1], message.from, std::span<const Id>(words).subspan(2), endpoint);
}

void Centralized::pass_up(Endpoint& endpoint) {
  if (!entered_ || missing_ > 0) return;
  Words members;
  if (member_) members.push_back(endpoint.self());
  for (Words& list : lists_) {
    members.append(list);
    list.clear();
  }
  std::vector<Words>().swap(lists_);
  done_ = !member_;
  if (parent_.parent != kNobody) {
    endpoint.send(parent_.parent, {tag_, 0, Kind::Up, kManyIds, std::move(members)});
  } else if (member_) {
    scatter(0, members.size(), kNobody, members, endpoint);
  } else if (!members.empty()) {
    endpoint.send(members[0], {tag_, 0, Kind::List, kManyIds, members});
  }
}

/// @param members those of the sub-tree, oneself first
void Centralized::scatter(Rank rank, Rank size, Id parent, std::span<const Id> members,
                          Endpoint& endpoint) {
  view_.size = size;
  view_.rank = rank;
  view_.parent = parent;
  view_.degree = degree_;
  view_.depth = static_cast<std::uint16_t>(heap_depth(rank, degree_));
  view_.numbering = Numbering::Heap;
  members = members.subspan(1);
  for (std::uint64_t c = std::uint64_t{rank} * degree_ + 1; !members.empty(); ++c) {
    const Rank child = static_cast<Rank>(c);
    const Rank below = heap_below(child, size, degree_);
    Words words{child, size};
    words.append(members.first(below));
    view_.children.push_back(members[0]);
    endpoint.send(members[0], {tag_, 0, Kind::Down, kManyIds, std::move(words)});
    members = members.subspan(below);
  }
  done_ = true;
}

std::size_t Centralized::bytes() const {
  std::size_t total = sizeof(*this) - sizeof(GroupView) + view_.bytes();
  for (const Words& list : lists_) total += sizeof(list) + list.bytes_on_heap();
  return total;
}

}  // namespace espalier::group
