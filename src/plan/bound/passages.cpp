#include "bound/passages.hpp"

#include <algorithm>

namespace espalier::bound {

using topology::Cluster;
using topology::ClusterId;
using topology::Leaf;
using topology::Machine;
using topology::Member;
using Direction = Witness::Direction;

Passages::Passages(const Machine& machine, const Distances* distances, Reach reach)
    : machine_(machine), distances_(distances), reach_(std::move(reach)) {
  if (distances_ == nullptr) return;
  const Rank size = machine.size();
  std::vector<Time> sent(size), rest(size);
  rest_.resize(size);
  for (Rank rank = 0; rank < size; ++rank) {
    sent[rank] = reach_.earliest[rank] + machine.costs(rank).send.fixed;
    rest[rank] = machine.costs(rank).recv.fixed + reach_.remaining[rank];
    rest_[machine.leaf_of(rank)] = rest[rank];
  }
  sums_ = {distances_->nearest(std::vector<Time>(size, Time{0})), distances_->nearest(sent),
           distances_->nearest(rest)};
  before_.assign(size + 1, kForever);
  behind_.assign(size + 1, kForever);
  for (Leaf leaf = 0; leaf < size; ++leaf) {
    before_[leaf + 1] = std::min(before_[leaf], rest_[leaf]);
  }
  for (Leaf leaf = size; leaf-- > 0;) behind_[leaf] = std::min(behind_[leaf + 1], rest_[leaf]);
}

Time Passages::least_rest(const Stretch& stretch) const {
  const auto begin = rest_.begin() + stretch.first;
  return *std::min_element(begin, begin + stretch.count);
}

Time Passages::least_rest_outside(const Stretch& stretch) const {
  return std::min(before_[stretch.first], behind_[stretch.first + stretch.count]);
}

Passage Passages::across(const Member& part, Direction direction) const {
  if (!sums_) return {Time{0}, Time{0}};
  const Stretch stretch = stretch_of(machine_, part);
  Passage passage;
  if (direction != Direction::In) {
    passage = {least_across(sums_->sent, sums_->plain, part), least_rest_outside(stretch)};
  }
  if (direction != Direction::Out) {
    passage.before = std::min(passage.before, least_across(sums_->plain, sums_->sent, part));
    passage.after = std::min(passage.after, least_rest(stretch));
  }
  return passage;
}

/// As least_across() of a part: each member inside to each outside, or out of the cluster.
Time Passages::least_across_union(const Nearest& inside, const Nearest& outside, ClusterId id,
                                  const std::vector<std::uint32_t>& members) const {
  const Cluster& cluster = machine_.clusters()[id];
  const auto all = machine_.members(cluster);
  std::vector<bool> taken(cluster.member_count, false);
  for (const std::uint32_t m : members) taken[m] = true;
  const Time above = id == 0 ? kForever : cluster.uplink.latency + outside.clusters[id].outside;
  Time least = kForever;
  for (const std::uint32_t m : members) {
    Time beyond = above;
    const std::vector<Time> over = distances_->between(cluster, m);
    for (std::uint32_t other = 0; other < cluster.member_count; ++other) {
      if (!taken[other]) beyond = std::min(beyond, over[other] + outside[all[other]].inside);
    }
    least = std::min(least, inside[all[m]].inside + beyond);
  }
  return least;
}

Passage Passages::across(ClusterId id, const std::vector<std::uint32_t>& members,
                         Direction direction) const {
  if (!sums_) return {Time{0}, Time{0}};
  const Cluster& cluster = machine_.clusters()[id];
  Time rest_inside = kForever;
  Time rest_outside = least_rest_outside({cluster.first_leaf, cluster.leaf_count});
  std::vector<bool> taken(cluster.member_count, false);
  for (const std::uint32_t m : members) taken[m] = true;
  const auto all = machine_.members(cluster);
  for (std::uint32_t m = 0; m < cluster.member_count; ++m) {
    Time& side = taken[m] ? rest_inside : rest_outside;
    side = std::min(side, least_rest(stretch_of(machine_, all[m])));
  }
  Passage passage;
  if (direction != Direction::In) {
    passage = {least_across_union(sums_->sent, sums_->plain, id, members), rest_outside};
  }
  if (direction != Direction::Out) {
    passage.before =
        std::min(passage.before, least_across_union(sums_->plain, sums_->sent, id, members));
    passage.after = std::min(passage.after, rest_inside);
  }
  return passage;
}

Time Passages::soonest_in(Rank rank) const {
  return sums_ ? least_across(sums_->plain, sums_->sent, {true, machine_.leaf_of(rank)}) : Time{0};
}

Time Passages::soonest_end(Rank rank) const {
  return sums_ ? least_across(sums_->plain, sums_->rest, {true, machine_.leaf_of(rank)}) : Time{0};
}

}  // namespace espalier::bound
