#include "group/process.hpp"

#include <algorithm>
#include <cstring>

#include "base/contract.hpp"
#include "group/endpoint.hpp"
#include "group/group.hpp"
#include "group/process_state.hpp"

namespace espalier::group {
namespace {

constexpr Tag kWorldTag = 1;

}  // namespace

Process::Process(Endpoint& endpoint, Rank world_size, Rank degree) : outbox_(endpoint) {
  GroupView view = world_view(endpoint.self(), world_size, degree);
  view.tag = kWorldTag;
  groups_[kWorldTag] = std::make_unique<State>(kWorldTag, std::move(view));
}

Process::~Process() = default;

Group Process::world() { return {*this, kWorldTag}; }

Group Process::group(Tag tag) {
  (void)state(tag);
  return {*this, tag};
}

Process::State* Process::state(Tag tag) {
  const auto it = groups_.find(tag);
  expects(it != groups_.end(), "this group is no longer there");
  return it->second.get();
}

void Process::receive(const Message& message) {
  if (const auto it = makings_.find(message.tag); it != makings_.end()) {
    it->second.construction->receive(message, outbox_);
    finish(message.tag);
    return start_on_trees_made();
  }
  const auto it = groups_.find(message.tag);
  if (it == groups_.end()) {
    early_[message.tag].push_back(message);
    return;
  }
  State& group = *it->second;
  if (message.kind == Kind::Data) {
    run(group, message);
    return start_on_trees_made();
  }
  if (message.kind == Kind::Found) return learn(group, message);
  const auto inside = message.kind == Kind::Relay ? take_relay(group.view, message, outbox_)
                                                  : std::optional(message);
  if (!inside) return;
  if (inside->kind != Kind::Find) return receive(*inside);
  outbox_.send(inside->from, {group.tag, 0, Kind::Found, 1, Words{group.view.rank}});
}

/// Enters a construction, with all that came before.
void Process::make(Tag tag, Making entered) {
  Making& making = makings_[tag] = std::move(entered);
  making.construction->enter(making.colour, outbox_);
  if (const auto early = early_.find(tag); early != early_.end()) {
    const std::vector<Message> messages = std::move(early->second);
    early_.erase(early);
    for (const Message& message : messages) making.construction->receive(message, outbox_);
  }
  finish(tag);
}

/// A construction that is done leaves a group behind, or nothing.
void Process::finish(Tag tag) {
  const Making& making = makings_[tag];
  if (!making.construction->done()) return;
  GroupView view = making.construction->view();
  const Tag group = group_tag(tag, making.colour);
  State& parent = *state(making.parent);
  const bool settles = making.settled && parent.view.numbering != Numbering::World;
  const std::uint32_t operation = settles ? kSettling + making.number : 0;
  made_[tag] = {view.member() ? group : 0, making.parent, operation};
  makings_.erase(tag);
  if (settles) barrier(parent, operation);
  if (!view.member()) return;
  view.tag = group;
  groups_[group] = std::make_unique<State>(group, std::move(view));
  const auto early = early_.find(group);
  if (early == early_.end()) return;
  const std::vector<Message> messages = std::move(early->second);
  early_.erase(early);
  for (const Message& message : messages) receive(message);
}

Ticket Process::start(Tag tag, TreeOperation::Call call) {
  State& group = *state(tag);
  expects(!group.leaving, "a collective on a group that was given up");
  call.sequence = group.operations;
  group.operations = (group.operations + 1) % kSettling;  // the call of that number is long over
  const std::uint32_t sequence = call.sequence;
  begin(group, std::move(call));
  return {*this, tag, sequence};
}

void Process::begin(State& group, TreeOperation::Call call) {
  const std::uint32_t sequence = call.sequence;
  const auto [it, fresh] =
      group.running.try_emplace(sequence, group.tag, group.view, std::move(call));
  it->second.start(outbox_);
  if (const auto early = group.early.find(sequence); early != group.early.end()) {
    for (const Message& message : early->second) it->second.receive(message, outbox_);
    group.early.erase(early);
  }
  if (it->second.done()) {
    group.running.erase(it);
  } else if (it->second.pump(outbox_)) {
    stalled_.emplace(group.tag, sequence);
  }
}

void Process::pump() {
  outbox_.pump();
  for (auto it = stalled_.begin(); it != stalled_.end();) {
    const auto [tag, sequence] = *it;
    State& group = *state(tag);
    TreeOperation& operation = group.running.at(sequence);
    if (operation.pump(outbox_)) {
      ++it;
      continue;
    }
    it = stalled_.erase(it);
    if (!operation.done()) continue;
    group.running.erase(sequence);
    leave_if_over(tag);
  }
  start_on_trees_made();
}

/// One of our own, with a number apart from the user's calls: members may be at different calls.
void Process::barrier(State& group, std::uint32_t sequence) {
  TreeOperation::Call call;
  call.kind = TreeOperation::Kind::Allreduce;
  call.sequence = sequence;
  call.combine = sum_of<std::uint8_t>();
  begin(group, std::move(call));
}

void Process::retire(State& group) {
  expects(group.tag != kWorldTag, "retire: the world stays");
  expects(!group.leaving && group.running.empty(),
          "retire: an operation of the group is under way");
  for (const auto& [tag, making] : makings_) {
    expects(making.parent != group.tag, "retire: the group is being split");
  }
  for (const auto& [root, tree] : group.trees) {
    expects(!trees_to_be_.contains(tree), "retire: an operation of the group is under way");
    const auto it = groups_.find(tree);
    if (it != groups_.end() && !it->second->leaving) retire(*it->second);
  }
  group.trees.clear();
  group.leaving = true;
  if (group.to_send.empty()) barrier(group, kFarewell);
  leave_if_over(group.tag);
}

/// What runs in a group that is leaving waits for those who have not given it up yet.
bool Process::is_quiet() const {
  return makings_.empty() && trees_to_be_.empty() &&
         std::all_of(groups_.begin(), groups_.end(), [](const auto& one) {
           return one.second->leaving || one.second->running.empty();
         });
}

void Process::retire_all() {
  std::vector<Tag> all;
  for (const auto& [tag, group] : groups_) {
    if (tag != kWorldTag) all.push_back(tag);
  }
  for (const Tag tag : all) {
    const auto it = groups_.find(tag);  // a root's tree may have gone with its group
    if (it != groups_.end() && !it->second->leaving) retire(*it->second);
  }
}

/// All members have retired the group, so nobody needs us on a way through it.
void Process::leave_if_over(Tag tag) {
  const State& group = *state(tag);
  if (group.leaving && group.running.empty() && group.to_send.empty()) groups_.erase(tag);
}

void Process::run(State& group, const Message& message) {
  const Words& words = message.words;
  if (words[0] == kPointToPoint) {
    Parcel parcel{words[1], std::vector<std::byte>(words[2])};
    if (words[2] > 0) std::memcpy(parcel.data.data(), words.data() + 3, words[2]);
    group.arrived.push_back(std::move(parcel));
    return;
  }
  const auto it = group.running.find(words[0]);
  if (it == group.running.end()) {
    group.early[words[0]].push_back(message);
    return;
  }
  it->second.receive(message, outbox_);
  if (!it->second.done()) {
    if (it->second.pump(outbox_)) stalled_.emplace(group.tag, words[0]);
    return;
  }
  stalled_.erase({group.tag, words[0]});
  group.running.erase(it);
  leave_if_over(group.tag);
}

std::size_t Process::waiting_messages() const {
  std::size_t count = 0;
  for (const auto& [tag, messages] : early_) count += messages.size();
  for (const auto& [tag, group] : groups_) {
    for (const auto& [sequence, messages] : group->early) count += messages.size();
  }
  return count;
}

std::size_t Process::bytes() const {
  std::size_t total = sizeof(*this) + outbox_.bytes();
  for (const auto& [tag, group] : groups_) {
    total += sizeof(State) - sizeof(GroupView) + group->view.bytes() +
             group->known.size() * sizeof(std::pair<Rank, Id>) + group->accounts.bytes_on_heap() +
             group->trees.capacity() * sizeof(std::pair<Rank, Tag>);
  }
  for (const auto& [tag, making] : makings_) total += sizeof(Making) + making.construction->bytes();
  return total;
}

bool Ticket::test() const {
  if (process_->trees_to_be_.contains(group_)) return false;
  const auto it = process_->groups_.find(group_);
  return it == process_->groups_.end() || !it->second->running.contains(sequence_);
}

}  // namespace espalier::group
