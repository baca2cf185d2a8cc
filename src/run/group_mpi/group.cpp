#include "base/contract.hpp"
#include "group/choose_root.hpp"
#include "group_mpi/runtime.hpp"

namespace espalier {
namespace {

group::SplitOptions inner(const SplitOptions& options, const group::GroupView& parent) {
  expects(options.degree < 255, "a group's tree: the degree is at most 254");
  group::SplitOptions made;
  switch (options.scheme) {
    case GroupScheme::RankAndHash:
      made.scheme = group::Scheme::RankAndHash;
      break;
    case GroupScheme::ShrinkAndBalance:
      made.scheme = group::Scheme::ShrinkAndBalance;
      break;
    case GroupScheme::ShrinkByChildren:
      made.scheme = group::Scheme::ShrinkByChildren;
      break;
    case GroupScheme::Centralized:
      made.scheme = group::Scheme::Centralized;
      break;
  }
  made.degree = options.degree > 0 ? options.degree : Rank{parent.degree};
  made.settled = true;  // who is done may go where no progress is made
  return made;
}

/// A reduction's result must not need others on its last hops: they are done and may be elsewhere.
/// And long data must not pile up at one who passes them on. One hop is fine.
group::RootWay safe_way(const group::GroupView& view, Rank root, GroupRoot asked, bool direct) {
  using group::RootWay;
  if (asked == GroupRoot::AnyVertex) return RootWay::AnyVertex;
  const bool one_hop =
      view.numbering == group::Numbering::World ||
      (!view.links.empty() && group::link_hops(0, root, view.size, view.degree) <= 1);
  if (direct && !one_hop) return RootWay::AnyVertex;
  return asked == GroupRoot::Forward ? RootWay::Forward : group::cheaper_root_way(view, root);
}

/// How data reach the root: as the user asked, or plainly until a tree for that root has paid.
group::RootWay way_of(const GroupRuntime& runtime, const group::Group& group,
                      const group::RootUse& call, GroupRoot asked, bool direct) {
  if (asked == GroupRoot::OwnTree) return group::RootWay::OwnTree;
  const group::RootWay plain = safe_way(group.view(), call.root, asked, direct);
  if (asked != GroupRoot::Cheapest || !runtime.settings.network) return plain;
  return group.choose_way(call, plain, *runtime.settings.network);
}

group::Combine inner(ElementOperation operation) {
  expects(operation.element_bytes > 0, "a reduction of elements without bytes");
  return {operation.element_bytes,
          [apply = std::move(operation.apply)](std::span<std::byte> into,
                                               std::span<const std::byte> other) {
            apply(into.data(), other.data(), into.size());
          }};
}

void expect_member(bool member) { expects(member, "a group that one is not in can do nothing"); }

}  // namespace

template <typename Ticket>
GroupRequest Group::request(const Ticket& ticket) const {
  GroupRequest made;
  made.runtime_ = runtime_;
  made.group_ = ticket.group();
  made.sequence_ = ticket.sequence();
  runtime_->progress();
  return made;
}

GroupRank Group::size() const { return member() ? runtime_->group(tag_).size() : 0; }
GroupRank Group::rank() const { return member() ? runtime_->group(tag_).rank() : kNoRank; }

NewGroup Group::isplit(int colour, SplitOptions options) const {
  expect_member(member());
  expects(colour >= 0 || colour == MPI_UNDEFINED, "split: a colour is not negative");
  const group::Group parent = runtime_->group(tag_);
  NewGroup made;
  made.runtime_ = runtime_;
  made.construction_ =
      parent
          .split(colour == MPI_UNDEFINED ? group::kNoColour : static_cast<group::Colour>(colour),
                 inner(options, parent.view()))
          .tag();
  return made;
}

NewGroup Group::ienroll(bool joins, SplitOptions options) const {
  expect_member(member());
  const group::Group parent = runtime_->group(tag_);
  NewGroup made;
  made.runtime_ = runtime_;
  made.construction_ = parent.enroll(joins, inner(options, parent.view())).tag();
  return made;
}

NewGroup Group::irooted_at(GroupRank root, SplitOptions options) const {
  expect_member(member());
  const group::Group parent = runtime_->group(tag_);
  NewGroup made;
  made.runtime_ = runtime_;
  made.construction_ = parent.rooted_at(root, inner(options, parent.view())).tag();
  return made;
}

NewGroup Group::iranked_by(std::uint64_t key, SplitOptions options) const {
  expect_member(member());
  const group::Group parent = runtime_->group(tag_);
  NewGroup made;
  made.runtime_ = runtime_;
  made.construction_ = parent.ranked_by(key, inner(options, parent.view())).tag();
  return made;
}

NewGroup Group::ialong_topology(SplitOptions options) const {
  expect_member(member());
  expects(runtime_->settings.path.has_value(),
          "along_topology: Groups was not told of the topology");
  const group::Group parent = runtime_->group(tag_);
  NewGroup made;
  made.runtime_ = runtime_;
  made.construction_ = parent.along(*runtime_->settings.path, inner(options, parent.view())).tag();
  return made;
}

Group Group::along_topology(SplitOptions options) const { return ialong_topology(options).wait(); }

bool Group::worth_a_tree(GroupRank root, std::size_t bytes, std::uint32_t calls) const {
  expect_member(member());
  const group::GroupView& view = runtime_->group(tag_).view();
  expects(root < view.size, "worth_a_tree: no such root in the group");
  if (!runtime_->settings.network) return false;
  const std::size_t segment = runtime_->segment(view, bytes, 0);
  const group::RootUse use{root, Bytes{bytes}, calls, segment, /*settled=*/true};
  return group::choose_root(view, use, *runtime_->settings.network) == group::RootWay::OwnTree;
}

int Group::tree_parent() const {
  expect_member(member());
  const group::Id parent = runtime_->group(tag_).view().parent;
  return parent == group::kNobody ? -1 : static_cast<int>(parent);
}

Group Group::enroll(bool joins, SplitOptions options) const {
  return ienroll(joins, options).wait();
}
Group Group::rooted_at(GroupRank root, SplitOptions options) const {
  return irooted_at(root, options).wait();
}
Group Group::ranked_by(std::uint64_t key, SplitOptions options) const {
  return iranked_by(key, options).wait();
}

void Group::free() {
  const bool works = member() && runtime_->endpoint.error() == MPI_SUCCESS;
  if (works) runtime_->group(tag_).retire();
  *this = {};
}

GroupRequest Group::ibarrier() const { return start_allreduce({}, elementwise<char>(sum), {}); }

GroupRequest Group::start_broadcast(std::span<std::byte> data, GroupRank root,
                                    const CollectiveOptions& options) const {
  expect_member(member());
  const group::Group group = runtime_->group(tag_);
  expects(root < group.size(), "broadcast: no such root in the group");
  const std::size_t segment = runtime_->segment(group.view(), data.size(), options.segment_bytes);
  const bool is_long = data.size() > segment;
  const group::RootUse call{root, Bytes{data.size()}, 1, segment, /*settled=*/true};
  return request(
      group.broadcast(data, root, segment, way_of(*runtime_, group, call, options.root, is_long)));
}

GroupRequest Group::start_reduce(std::span<std::byte> data, ElementOperation operation,
                                 GroupRank root, const CollectiveOptions& options) const {
  expect_member(member());
  const group::Group group = runtime_->group(tag_);
  expects(root < group.size(), "reduce: no such root in the group");
  const std::size_t segment = runtime_->segment(group.view(), data.size(), options.segment_bytes);
  const group::RootUse call{root, Bytes{data.size()}, 1, segment, /*settled=*/true};
  return request(group.reduce(data, inner(std::move(operation)), root, segment,
                              way_of(*runtime_, group, call, options.root, true)));
}

GroupRequest Group::start_allreduce(std::span<std::byte> data, ElementOperation operation,
                                    const CollectiveOptions& options) const {
  expect_member(member());
  const group::Group group = runtime_->group(tag_);
  const std::size_t segment = runtime_->segment(group.view(), data.size(), options.segment_bytes);
  return request(group.allreduce(data, inner(std::move(operation)), segment));
}

}  // namespace espalier
