#include "group/tree_operation.hpp"

#include <algorithm>
#include <cstring>

#include "base/contract.hpp"
#include "group/endpoint.hpp"

namespace espalier::group {
namespace {

constexpr std::uint32_t kHeadWords = 3;  // sequence, sign, segment
constexpr std::uint32_t kStages = 4;     // a sign: 2 bits stage, 2 bits kind, 28 bits length

}  // namespace

RootWay cheaper_root_way(const GroupView& view, Rank root) {
  if (view.numbering == Numbering::Preorder) return RootWay::AnyVertex;  // its depth is unknown
  const std::uint32_t depth = heap_depth(root, view.degree);
  std::uint32_t hops = view.numbering == Numbering::World ? 1 : depth;
  if (!view.links.empty()) hops = link_hops(0, root, view.size, view.degree);
  return hops < depth ? RootWay::Forward : RootWay::AnyVertex;
}

Id tree_hop(const GroupView& view, Rank target) {
  GroupView tree = view;  // the tree alone: links removed, the world treated as any tree
  tree.links.clear();
  if (tree.numbering == Numbering::World) tree.numbering = Numbering::Heap;
  return next_hop(tree, kNobody, target);
}

TreeOperation::TreeOperation(Tag tag, const GroupView& view, Call call)
    : tag_(tag), view_(view), call_(std::move(call)) {
  expects(view_.member() && call_.root < view_.size, "a collective: no such root in the group");
  expects(call_.way != RootWay::OwnTree, "a collective: a tree of its own is another group");
  if (call_.kind == Kind::Allreduce) call_.root = 0;
  if (call_.segment_bytes > 0) {
    const std::size_t element = call_.kind == Kind::Broadcast ? 1 : call_.combine.element_bytes;
    call_.segment_bytes = std::max(call_.segment_bytes / element, std::size_t{1}) * element;
    segments_ = static_cast<std::uint32_t>(std::max<std::size_t>(
        1, (call_.data.size() + call_.segment_bytes - 1) / call_.segment_bytes));
  }
  inner_root_ = call_.way == RootWay::Forward ? 0 : call_.root;
  if (view_.rank != inner_root_) towards_ = tree_hop(view_, inner_root_);
  expected_ = static_cast<std::uint32_t>(neighbours().size()) - (towards_ == kNobody ? 0 : 1);
  open_ = segments_;
}

std::vector<Id> TreeOperation::neighbours() const {
  std::vector<Id> all(view_.children.begin(), view_.children.end());
  if (view_.parent != kNobody) all.push_back(view_.parent);
  return all;
}

std::span<std::byte> TreeOperation::segment(std::uint32_t index) {
  const std::span<std::byte> all = sum_.empty() ? call_.data : std::span<std::byte>(sum_);
  if (call_.segment_bytes == 0) return all;
  const std::size_t first = std::min(index * call_.segment_bytes, all.size());
  return all.subspan(first, std::min(call_.segment_bytes, all.size() - first));
}

/// The stage, and what the calls of all members have in common.
std::uint32_t TreeOperation::sign(Stage stage) const {
  const auto length = static_cast<std::uint32_t>(call_.data.size() & 0x0fffffffU);
  return (length << 4U) | (static_cast<std::uint32_t>(call_.kind) << 2U) | stage;
}

/// Whether a message is of the same call. Lengths are told modulo 256 MiB, so that of the segment
/// is compared too: nothing is read beyond the message.
bool TreeOperation::fits(const Words& words) {
  if (words[1] / kStages != sign(In) / kStages || words[2] >= segments_) return false;
  const std::size_t bytes = segment(words[2]).size();
  return words.size() - kHeadWords == (bytes + sizeof(std::uint32_t) - 1) / sizeof(std::uint32_t);
}

Message TreeOperation::packed(Stage stage, std::uint32_t index) {
  const std::span<const std::byte> bytes = segment(index);
  Words words{call_.sequence, sign(stage), index};
  words.append_bytes(bytes);
  return {tag_, 0, group::Kind::Data, 0, std::move(words)};
}

void TreeOperation::store(const Words& words) {
  const std::span<std::byte> bytes = segment(words[2]);
  if (!bytes.empty()) std::memcpy(bytes.data(), words.data() + kHeadWords, bytes.size());
}

void TreeOperation::start(Endpoint& endpoint) {
  if (call_.kind != Kind::Broadcast) {
    sum_.assign(call_.data.begin(), call_.data.end());
    heard_.assign(segments_, 0);
    for (std::uint32_t s = 0; s < segments_; ++s) contribute(s);
  } else if (view_.rank == call_.root) {
    // Not on the tree's root: to it, from where the data come back to us like to all others.
    const Stage stage = view_.rank == inner_root_ ? Out : Result;
    for (std::uint32_t s = 0; s < segments_; ++s) waiting_.push_back({stage, s, kNobody});
  }
  pump(endpoint);
}

void TreeOperation::close_segment() {
  if (--open_ > 0 || call_.kind == Kind::Broadcast) return;
  if (call_.kind == Kind::Reduce && view_.rank != call_.root) return;
  std::copy(sum_.begin(), sum_.end(), call_.data.begin());
}

/// One more has contributed to the segment, or oneself; if those were all, it goes on.
void TreeOperation::contribute(std::uint32_t index) {
  if (heard_[index]++ < expected_) return;
  if (towards_ != kNobody) {
    waiting_.push_back({In, index, kNobody});
  } else if (call_.kind == Kind::Allreduce) {
    waiting_.push_back({Out, index, kNobody});
  } else if (view_.rank != call_.root) {
    waiting_.push_back({Result, index, kNobody});
  } else {
    close_segment();
  }
}

bool TreeOperation::has_room(const Waiting& next, const Endpoint& endpoint) const {
  if (next.stage == In) return endpoint.has_room(towards_);
  if (next.stage == Result) {
    const Rank target = call_.kind == Kind::Broadcast ? inner_root_ : call_.root;
    return endpoint.has_room(next_hop(view_, endpoint.self(), target));
  }
  const std::vector<Id> all = neighbours();
  return std::all_of(all.begin(), all.end(),
                     [&](Id to) { return to == next.from || endpoint.has_room(to); });
}

bool TreeOperation::pump(Endpoint& endpoint) {
  while (!waiting_.empty() && has_room(waiting_.front(), endpoint)) {
    const Waiting next = waiting_.front();
    waiting_.pop_front();
    send(next, endpoint);
  }
  return !waiting_.empty();
}

void TreeOperation::send(const Waiting& next, Endpoint& endpoint) {
  if (next.stage == Out) {  // goes to all neighbours but the one that it came from
    for (const Id to : neighbours()) {
      if (to != next.from) endpoint.send(to, packed(Out, next.index));
    }
    return close_segment();
  }
  if (next.stage == In) {
    endpoint.send(towards_, packed(In, next.index));
    const bool result_comes = call_.kind == Kind::Allreduce || view_.rank == call_.root;
    if (!result_comes) close_segment();
    return;
  }
  const bool broadcast = call_.kind == Kind::Broadcast;
  send_routed(view_, broadcast ? inner_root_ : call_.root, packed(Result, next.index), endpoint);
  if (!broadcast) close_segment();
}

void TreeOperation::receive(const Message& message, Endpoint& endpoint) {
  const Words& words = message.words;
  if (!fits(words)) return endpoint.refuse_call();
  const std::uint32_t index = words[2], stage = words[1] % kStages;
  if (stage == In) {
    const std::span<std::byte> into = segment(index);
    std::vector<std::byte> other(into.size());
    if (!other.empty()) std::memcpy(other.data(), words.data() + kHeadWords, other.size());
    if (!other.empty()) call_.combine.apply(into, other);
    contribute(index);
  } else {
    store(words);
    const bool spreads = stage == Out || call_.kind == Kind::Broadcast;
    const Id from = stage == Out ? message.from : kNobody;
    if (spreads) waiting_.push_back({Out, index, from});
    if (!spreads) close_segment();
  }
  pump(endpoint);
}

}  // namespace espalier::group
