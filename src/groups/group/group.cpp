#include "group/group.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "group/process_state.hpp"
#include "group/ranked_by_key.hpp"
#include "group/rerooted.hpp"

namespace espalier::group {
namespace {

/// A construction of a group: the same on all its members, and like no other.
Tag construction_tag(Tag group, std::uint32_t number) {
  std::uint64_t z = group + 0x9e3779b97f4a7c15ULL * (2 * std::uint64_t{number} + 1);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

}  // namespace

Rank Group::size() const { return member() ? view().size : 0; }
Rank Group::rank() const { return member() ? view().rank : kNoRank; }

const GroupView& Group::view() const {
  expects(member(), "a group that one is not in has no place");
  return process_->state(tag_)->view;
}

Splitting Group::make(Colour colour, bool settled, const Maker& maker) const {
  Process::State& parent = *process_->state(tag_);
  expects(!parent.leaving, "a split of a group that was given up");
  const std::uint32_t number = parent.splits++;
  const Tag tag = construction_tag(tag_, number);
  process_->make(tag, {maker(tag, parent.view), tag_, colour, settled, number});
  return {*process_, tag};
}

Splitting Group::split(Colour colour, SplitOptions options) const {
  if (options.scheme == Scheme::RankAndHash) options.scheme = Scheme::RankAndHashColours;
  expects(takes_colours(options.scheme), "split: this scheme knows members and others only");
  expects(member(), "a group that one is not in cannot be split");
  return make(colour, options.settled, [&](Tag tag, const GroupView& parent) {
    return make_construction(options.scheme, tag, parent, {options.degree, options.routable});
  });
}

Splitting Group::enroll(bool joins, SplitOptions options) const {
  expects(member(), "a group that one is not in cannot be split");
  return make(joins ? 0 : kNoColour, options.settled, [&](Tag tag, const GroupView& parent) {
    return make_construction(options.scheme, tag, parent, {options.degree, options.routable});
  });
}

Splitting Group::rooted_at(Rank root, SplitOptions options) const {
  expects(root < size(), "rooted_at: no such rank in the group");
  return make(0, options.settled, [&](Tag tag, const GroupView& parent) {
    return std::make_unique<Rerooted>(tag, parent, root,
                                      ConstructionOptions{options.degree, options.routable});
  });
}

Splitting Group::ranked_by(std::uint64_t key, SplitOptions options) const {
  expects(member(), "a group that one is not in cannot be ranked");
  return make(0, options.settled, [&](Tag tag, const GroupView& parent) {
    return std::make_unique<RankedByKey>(tag, parent, key,
                                         ConstructionOptions{options.degree, options.routable});
  });
}

Splitting Group::along(Words path, SplitOptions options) const {
  expects(member(), "a group that one is not in follows no topology");
  return make(0, options.settled, [&](Tag tag, const GroupView& parent) {
    return make_construction(Scheme::AlongTopology, tag, parent,
                             {options.degree, options.routable, std::move(path)});
  });
}

Ticket Group::barrier() const { return allreduce({}, sum_of<std::uint8_t>()); }

Ticket Group::broadcast(std::span<std::byte> data, Rank root, std::size_t segment_bytes,
                        std::optional<RootWay> way) const {
  TreeOperation::Call call;
  call.kind = TreeOperation::Kind::Broadcast;
  call.root = root;
  call.data = data;
  call.segment_bytes = segment_bytes;
  return start(std::move(call), way);
}

Ticket Group::reduce(std::span<std::byte> data, Combine combine, Rank root,
                     std::size_t segment_bytes, std::optional<RootWay> way) const {
  TreeOperation::Call call;
  call.kind = TreeOperation::Kind::Reduce;
  call.root = root;
  call.data = data;
  call.combine = std::move(combine);
  call.segment_bytes = segment_bytes;
  return start(std::move(call), way);
}

Ticket Group::start(TreeOperation::Call call, std::optional<RootWay> way) const {
  call.way = way.value_or(cheaper_root_way(view(), call.root));
  if (call.way != RootWay::OwnTree) return process_->start(tag_, std::move(call));
  if (call.root > 0) return process_->start_on_own_tree(tag_, std::move(call));
  call.way = RootWay::AnyVertex;  // the tree that is there has this root
  return process_->start(tag_, std::move(call));
}

RootWay Group::choose_way(const RootUse& call, RootWay plain, const model::CostModel& model) const {
  return process_->state(tag_)->accounts.count(view(), call, plain, model);
}

Ticket Group::allreduce(std::span<std::byte> data, Combine combine,
                        std::size_t segment_bytes) const {
  TreeOperation::Call call;
  call.kind = TreeOperation::Kind::Allreduce;
  call.data = data;
  call.combine = std::move(combine);
  call.segment_bytes = segment_bytes;
  return process_->start(tag_, std::move(call));
}

void Group::send(Rank to, std::span<const std::byte> data) const {
  process_->send(*process_->state(tag_), to, data);
}

std::optional<Parcel> Group::receive(std::optional<Rank> from) const {
  auto& arrived = process_->state(tag_)->arrived;
  const auto it = std::find_if(arrived.begin(), arrived.end(),
                               [&](const Parcel& parcel) { return !from || parcel.from == *from; });
  if (it == arrived.end()) return std::nullopt;
  Parcel parcel = std::move(*it);
  arrived.erase(it);
  return parcel;
}

void Group::free() {
  if (member()) {
    for (const auto& [root, tree] : process_->state(tag_)->trees) process_->groups_.erase(tree);
    process_->groups_.erase(tag_);
  }
  *this = {};
}

void Group::retire() {
  if (member()) process_->retire(*process_->state(tag_));
  *this = {};
}

bool Splitting::test() const {
  const auto it = process_->made_.find(tag_);
  if (it == process_->made_.end() || process_->outbox_.holds(tag_)) return false;
  const Process::Made& made = it->second;
  const auto parent = process_->groups_.find(made.parent);  // may be gone after the barrier
  return parent == process_->groups_.end() || !parent->second->running.contains(made.barrier);
}

Group Splitting::group() {
  expects(test(), "this group is not made yet, or was asked for before");
  const Tag tag = process_->made_.at(tag_).group;
  process_->made_.erase(tag_);
  return tag == 0 ? Group() : Group(*process_, tag);
}

}  // namespace espalier::group
