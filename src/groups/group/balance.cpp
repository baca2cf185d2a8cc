// A. Langer, R. Venkataraman, L. Kale: "Scalable algorithms for constructing balanced spanning
// trees on system-ranked process groups", EuroMPI 2012, section 4: the downward pass.
#include <algorithm>
#include <utility>

#include "group/shrink_and_balance.hpp"

namespace espalier::group {
namespace {

constexpr std::uint32_t kDownHead = 6;  // position, taken, levels, size, rank, imports

}  // namespace

void ShrinkAndBalance::begin(Endpoint& endpoint) {
  view_.rank = 0;
  view_.size = 1 + size_here();
  view_.parent = kNobody;
  levels_ = static_cast<std::uint16_t>(least_levels(view_.size, view_.degree));
  apply_taken(0);
  plan(endpoint);
}

bool ShrinkAndBalance::take_down(const Message& message, Endpoint& endpoint) {
  const Words& words = message.words;
  if (!shrunk_ || words[0] != position_) return false;  // the Fill is still under way
  apply_taken(words[1]);
  levels_ = static_cast<std::uint16_t>(words[2]);
  view_.size = words[3];
  view_.rank = words[4];
  view_.parent = message.from;
  imports_ = words[5];
  for (std::uint32_t i = kDownHead; i < words.size(); i += 2) {
    targets_.push_back({words[i], words[i + 1] / 2, words[i + 1] % 2 == 1});
  }
  plan(endpoint);
  return true;
}

void ShrinkAndBalance::take_placed(const Message& message, Endpoint& endpoint) {
  const Words& words = message.words;
  leaving_ = false;
  view_.parent = message.from;
  levels_ = static_cast<std::uint16_t>(words[0]);
  view_.size = words[1];
  view_.rank = words[2];
  imports_ = words[3];
  plan(endpoint);
}

/// So many of the sequence that was offered upwards have gone; what they leave behind.
void ShrinkAndBalance::apply_taken(std::uint32_t taken) {
  for (std::uint32_t i = 0; i < taken; ++i) {
    ++branches_[sequence_[i]].taken;
    --branches_[sequence_[i]].size;
  }
  std::vector<std::uint8_t>().swap(sequence_);
  std::erase_if(branches_, [](const Branch& branch) { return branch.size == 0; });
}

Rank ShrinkAndBalance::size_here() const {
  Rank size = 0;
  for (const Branch& branch : branches_) size += branch.size;
  return size;
}

Rank ShrinkAndBalance::exports() const {
  Rank count = 0;
  for (const Target& target : targets_) count += target.count;
  return count;
}

void ShrinkAndBalance::plan(Endpoint& endpoint) {
  if (exports() == 1 + size_here()) {
    leaving_ = true;
    view_.rank = kNoRank;
    for (const Branch& branch : branches_) gives_.push_back(branch.size);
    return refine(endpoint);
  }
  // A parent of higher degree: its smallest branches have to go.
  auto kept = std::count_if(branches_.begin(), branches_.end(),
                            [](const Branch& branch) { return !branch.dissolved; });
  for (; kept > view_.degree; --kept) {
    const auto smallest =
        std::min_element(branches_.begin(), branches_.end(), [](const Branch& a, const Branch& b) {
          return std::pair(a.dissolved, a.size) < std::pair(b.dissolved, b.size);
        });
    smallest->dissolved = true;
  }
  const BalancePlan now = planned();
  if (!graft_first(now, endpoint)) settle(now, endpoint);
}

BalancePlan ShrinkAndBalance::planned() const {
  std::vector<Rank> sizes;
  std::vector<bool> dissolved;
  for (const Branch& branch : branches_) {
    sizes.push_back(branch.size);
    dissolved.push_back(branch.dissolved);
  }
  return plan_balance(sizes, {levels_, view_.degree, exports(), imports_}, dissolved);
}

/// Every branch and every child to be gets its ranks; who has nothing to give is told at once.
void ShrinkAndBalance::settle(const BalancePlan& plan, Endpoint& endpoint) {
  view_.depth = static_cast<std::uint16_t>(least_levels(view_.size, view_.degree) - levels_);
  Rank next = view_.rank + 1;
  Rank internal = 0;
  for (std::size_t c = 0; c < branches_.size(); ++c) {
    const auto [gives, takes] = plan.children[c];
    Branch& branch = branches_[c];
    branch.rank = next;
    branch.waiting = takes;
    internal += gives;
    const Rank size = branch.size - gives + takes;
    next += size;
    if (size == 0) continue;
    view_.children.push_back(branch.root);
    view_.below.push_back(size);
  }
  for (const Rank size : plan.slots) {
    slots_.push_back({next, size, size, kNobody});
    open_ += size;
    next += size;
  }
  internal -= exports();
  planned_ = true;
  for (std::size_t c = 0; c < branches_.size(); ++c) {
    if (plan.children[c].gives == 0) send_down(branches_[c], plan.children[c].takes, {}, endpoint);
  }
  if (internal + exports() == 0) return;
  for (const Target& target : allocate(internal, endpoint.self())) targets_.push_back(target);
  for (const BalancePlan::SubtreeChange& share : plan.children) gives_.push_back(share.gives);
  refine(endpoint);
}

void ShrinkAndBalance::send_down(const Branch& branch, Rank imports,
                                 std::span<const Target> targets, Endpoint& endpoint) {
  Words words{branch.position, branch.taken, levels_ - 1U, view_.size, branch.rank, imports};
  for (const Target& target : targets) {
    words.push_back(target.consumer);
    words.push_back(2 * target.count + (target.promised ? 1 : 0));
  }
  const auto ids = static_cast<std::uint8_t>(std::min<std::size_t>(targets.size(), kManyIds - 1));
  endpoint.send(branch.root, {tag_, 0, Kind::Down, ids, std::move(words)});
}

}  // namespace espalier::group
