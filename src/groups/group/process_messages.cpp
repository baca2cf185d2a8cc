// Messages from one member of a group to another, by rank.

#include "base/contract.hpp"
#include "group/endpoint.hpp"
#include "group/group.hpp"
#include "group/process_state.hpp"

namespace espalier::group {

/// Found: (rank), and the sender is it.
void Process::learn(State& group, const Message& message) {
  const Words& words = message.words;
  group.known.emplace_back(words[0], message.from);
  if (group.known.size() > Group::kCachedIds) group.known.pop_front();
  const auto it = group.to_send.find(words[0]);
  if (it == group.to_send.end()) return;
  const auto parcels = std::move(it->second);
  group.to_send.erase(it);
  for (const auto& parcel : parcels) send(group, words[0], parcel);
  if (!group.leaving || !group.to_send.empty()) return;
  barrier(group, kFarewell);
  leave_if_over(group.tag);
}

Id Process::known_id(const State& group, Rank rank) const {
  expects(rank < group.view.size, "send: no such rank in the group");
  if (group.view.numbering == Numbering::World) return rank;
  Id id = rank == group.view.rank ? outbox_.self() : kNobody;
  for (const auto& [found, known] : group.known) {
    if (found == rank) id = known;
  }
  return id;
}

bool Process::can_send(Tag tag, Rank to) const {
  const State& group = *groups_.at(tag);
  if (const Id id = known_id(group, to); id != kNobody) return outbox_.has_room(id);
  const auto it = group.to_send.find(to);
  if (it != group.to_send.end()) return it->second.size() < Group::kCachedIds;
  return outbox_.has_room(next_hop(group.view, outbox_.self(), to));
}

void Process::send(State& group, Rank to, std::span<const std::byte> data) {
  expects(data.size() <= kMostBytes, "send: a message of 4 GiB or more");
  const Id id = known_id(group, to);
  if (id == kNobody) {
    const bool asked = group.to_send.contains(to);
    group.to_send[to].emplace_back(data.begin(), data.end());
    if (asked) return;
    return send_routed(group.view, to, {group.tag, 0, Kind::Find, 1, {}}, outbox_);
  }
  Words words{kPointToPoint, group.view.rank, static_cast<std::uint32_t>(data.size())};
  words.append_bytes(data);
  outbox_.send(id, {group.tag, 0, Kind::Data, 0, std::move(words)});
}

}  // namespace espalier::group
