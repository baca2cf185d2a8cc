#include "group/group.hpp"

#include "base/contract.hpp"
#include "group/process_state.hpp"
#include "group/rerooted.hpp"

namespace espalier::group {
namespace {

/// The next construction of a group: the same on all its members, and like no other.
Tag next_tag(Tag group, std::uint32_t& splits) {
  std::uint64_t z = group + 0x9e3779b97f4a7c15ULL * (2 * std::uint64_t{splits++} + 1);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

}  // namespace

Rank Group::size() const { return member() ? place().size : 0; }
Rank Group::rank() const { return member() ? place().rank : kNoRank; }

const Place& Group::place() const {
  expects(member(), "a group that one is not in has no place");
  return process_->state(tag_)->place;
}

Splitting Group::split(Colour colour, SplitOptions options) const {
  if (options.scheme == Scheme::RankAndHash) options.scheme = Scheme::RankAndHashColours;
  expects(takes_colours(options.scheme), "split: this scheme knows members and others only");
  const Place& parent = place();
  const Tag tag = next_tag(tag_, process_->state(tag_)->splits);
  return {*process_, process_->make(tag_, colour,
                                    make_construction(options.scheme, tag, parent,
                                                      {options.degree, options.routable}),
                                    tag)};
}

Splitting Group::enroll(bool joins, SplitOptions options) const {
  const Place& parent = place();
  const Tag tag = next_tag(tag_, process_->state(tag_)->splits);
  return {*process_, process_->make(tag_, joins ? 0 : kNoColour,
                                    make_construction(options.scheme, tag, parent,
                                                      {options.degree, options.routable}),
                                    tag)};
}

Splitting Group::rooted_at(Rank root, SplitOptions options) const {
  expects(root < size(), "rooted_at: no such rank in the group");
  const Tag tag = next_tag(tag_, process_->state(tag_)->splits);
  return {*process_, process_->make(tag_, 0,
                                    std::make_unique<Rerooted>(
                                        tag, place(), root,
                                        ConstructionOptions{options.degree, options.routable}),
                                    tag)};
}

Ticket Group::barrier() const { return allreduce({}, sum_of<std::uint8_t>()); }

Ticket Group::broadcast(std::span<std::byte> data, Rank root, std::size_t segment_bytes,
                        std::optional<RootWay> way) const {
  TreeOperation::Call call;
  call.kind = TreeOperation::Kind::Broadcast;
  call.root = root;
  call.data = data;
  call.segment_bytes = segment_bytes;
  call.way = way.value_or(cheaper_root_way(place(), root));
  return process_->start(tag_, std::move(call));
}

Ticket Group::reduce(std::span<std::byte> data, Combine combine, Rank root,
                     std::size_t segment_bytes, std::optional<RootWay> way) const {
  TreeOperation::Call call;
  call.kind = TreeOperation::Kind::Reduce;
  call.root = root;
  call.data = data;
  call.combine = std::move(combine);
  call.segment_bytes = segment_bytes;
  call.way = way.value_or(cheaper_root_way(place(), root));
  return process_->start(tag_, std::move(call));
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

std::optional<Parcel> Group::receive() const {
  auto& arrived = process_->state(tag_)->arrived;
  if (arrived.empty()) return std::nullopt;
  Parcel parcel = std::move(arrived.front());
  arrived.pop_front();
  return parcel;
}

void Group::free() {
  if (member()) process_->groups_.erase(tag_);
  *this = {};
}

bool Splitting::test() const { return process_->made_.contains(tag_); }

Group Splitting::group() {
  const auto it = process_->made_.find(tag_);
  expects(it != process_->made_.end(), "this group is not made yet, or was asked for before");
  const Tag tag = it->second;
  process_->made_.erase(it);
  return tag == 0 ? Group() : Group(*process_, tag);
}

}  // namespace espalier::group
