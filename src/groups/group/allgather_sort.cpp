// J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby: "Efficient algorithms for all-to-all
// communications in multiport message-passing systems", IEEE TPDS 1997: the concatenation.
#include "group/allgather_sort.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::group {

AllgatherSort::AllgatherSort(Tag tag, const GroupView& parent, const ConstructionOptions& options)
    : parent_(parent), tag_(tag) {
  expects(parent.numbering == Numbering::World, "this baseline splits the world only");
  view_.degree = static_cast<std::uint16_t>(options.degree);
  view_.numbering = Numbering::Heap;
}

void AllgatherSort::enter(Colour colour, Endpoint& endpoint) {
  colours_.push_back(colour);
  send_round(endpoint);
  advance(endpoint);
}

void AllgatherSort::receive(const Message& message, Endpoint& endpoint) {
  Words& colours = early_[message.words[0]];
  colours.append(std::span<const std::uint32_t>(message.words).subspan(1));
  advance(endpoint);
}

/// All I know, or as much as the other one lacks.
void AllgatherSort::send_round(Endpoint& endpoint) {
  const Rank size = parent_.size, known = colours_.size();
  if (known >= size) return;
  Words words{round_};
  words.append(std::span<const std::uint32_t>(colours_).first(std::min(known, size - known)));
  endpoint.send((endpoint.self() + size - known) % size,
                {tag_, 0, Kind::Gather, 0, std::move(words)});
}

void AllgatherSort::advance(Endpoint& endpoint) {
  while (!colours_.empty() && colours_.size() < parent_.size && early_.contains(round_)) {
    colours_.append(early_[round_]);
    early_.erase(round_++);
    send_round(endpoint);
  }
  if (colours_.size() == parent_.size && !done_) sort(endpoint.self());
}

void AllgatherSort::sort(Id self) {
  done_ = true;
  const Colour own = colours_[0];
  if (own == kNoColour) return colours_.clear();
  Words members;
  for (Id id = 0; id < parent_.size; ++id) {
    if (colours_[(id + parent_.size - self) % parent_.size] != own) continue;
    if (id == self) view_.rank = members.size();
    members.push_back(id);
  }
  colours_.clear();
  view_.size = members.size();
  view_.depth = static_cast<std::uint16_t>(heap_depth(view_.rank, view_.degree));
  if (view_.rank > 0) view_.parent = members[(view_.rank - 1) / view_.degree];
  const std::uint64_t first = std::uint64_t{view_.rank} * view_.degree + 1;
  const std::uint64_t last = std::min<std::uint64_t>(first + view_.degree, view_.size);
  for (std::uint64_t c = first; c < last; ++c) view_.children.push_back(members[c]);
}

std::size_t AllgatherSort::bytes() const {
  std::size_t total = sizeof(*this) - sizeof(GroupView) + view_.bytes() + colours_.bytes_on_heap();
  for (const auto& [round, words] : early_) total += sizeof(words) + words.bytes_on_heap();
  return total;
}

Time allgather_time(Rank processes, const model::CostModel& model) {
  Time time;
  for (Rank known = 1; known < processes; known = std::min(2 * known, processes)) {
    const Rank sent = std::min(known, processes - known);
    const Message message{0, 0, Kind::Gather, 0, {}};
    const Bytes size{wire_size(message).value + 4 * (1 + std::uint64_t{sent})};
    time += model.cost(0, processes - known, size).delivered;
  }
  return time;
}

Time ring_allgather_time(Rank processes, const model::CostModel& model) {
  if (processes < 2) return {};
  const Message message{0, 0, Kind::Gather, 0, Words{0, 0}};
  return (processes - 1) * model.cost(0, processes - 1, wire_size(message)).delivered;
}

}  // namespace espalier::group
