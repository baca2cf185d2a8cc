// A. Langer, R. Venkataraman, L. Kale: "Scalable algorithms for constructing balanced spanning
// trees on system-ranked process groups", EuroMPI 2012, section 4: the upward pass.
#include <algorithm>

#include "base/contract.hpp"
#include "group/shrink_and_balance.hpp"

namespace espalier::group {
namespace {

constexpr std::uint32_t kOfferHead = 2;  // size, root; then the candidates

/// The largest branch; ties to the first. @return how many there are if all are empty
template <typename Branches>
std::size_t largest(const Branches& branches) {
  const auto it = std::max_element(branches.begin(), branches.end(),
                                   [](const auto& a, const auto& b) { return a.size < b.size; });
  if (it == branches.end() || it->size == 0) return branches.size();
  return static_cast<std::size_t>(it - branches.begin());
}

}  // namespace

ShrinkAndBalance::ShrinkAndBalance(Tag tag, const Place& parent, const ConstructionOptions& options,
                                   Fillers fillers)
    : parent_(parent),
      tag_(tag),
      fillers_(fillers),
      position_(parent.depth),
      missing_(parent.children.size()) {
  expects(parent.children.size() < 255, "Shrink-and-Balance: the parent's degree is below 255");
  place_.degree = static_cast<std::uint16_t>(options.degree);
  place_.numbering = Numbering::Preorder;
}

void ShrinkAndBalance::enter(Colour colour, Endpoint& endpoint) {
  entered_ = true;
  member_ = colour != kNoColour;
  shrink(endpoint);
}

std::vector<ShrinkAndBalance::Branch> ShrinkAndBalance::offered() const {
  std::vector<Branch> branches;
  for (const Words& offer : offers_) {
    Branch branch;
    branch.size = offer[0];
    branch.root = offer[0] > 0 ? offer[1] : kNobody;
    branch.position = static_cast<std::uint16_t>(position_ + 1);
    branches.push_back(branch);
  }
  return branches;
}

/// Once all children have spoken: fills one's own place if need be, and speaks to the parent.
void ShrinkAndBalance::shrink(Endpoint& endpoint) {
  if (!entered_ || missing_ > 0) return;
  branches_ = offered();
  const bool by_leaves = fillers_ == Fillers::Leaves;
  const auto candidate = [&](std::size_t c, std::uint32_t index) {
    return by_leaves ? offers_[c][kOfferHead + index] : offers_[c][1];
  };
  Id holder = endpoint.self();
  std::size_t from = branches_.size();
  if (!member_) {
    from = largest(branches_);
    holder = from < branches_.size() ? candidate(from, 0) : kNobody;
  }
  Words offer{size_here() + Rank{member_}};
  if (holder != kNobody) offer.push_back(holder);
  if (!member_ && holder != kNobody && by_leaves) {
    ++branches_[from].taken;
    --branches_[from].size;
  }
  if (by_leaves && holder != kNobody) {
    std::vector<Branch> left = branches_;
    while (sequence_.size() < std::min<std::size_t>(parent_.depth, offer[0])) {
      const std::size_t c = largest(left);
      sequence_.push_back(static_cast<std::uint8_t>(c));
      if (c == left.size()) {
        offer.push_back(holder);  // the last of all
      } else {
        offer.push_back(candidate(c, left[c].taken++));
        --left[c].size;
      }
    }
  }
  std::vector<Words>().swap(offers_);
  shrunk_ = true;
  if (parent_.parent != kNobody) {
    const auto ids = static_cast<std::uint8_t>(offer.size() - 1);
    endpoint.send(parent_.parent, {tag_, 0, Kind::Up, ids, std::move(offer)});
  }
  if (member_) {
    if (position_ == 0) begin(endpoint);
    return;
  }
  if (holder != kNobody) send_fill(holder, from, endpoint);
  branches_.clear();
  sequence_.clear();
}

Rank ShrinkAndBalance::size_here() const {
  Rank size = 0;
  for (const Branch& branch : branches_) size += branch.size;
  return size;
}

/// Hands over one's position, as deep as position_, with all that one knows of what is below it.
/// @param index the branch that the filler comes from
void ShrinkAndBalance::send_fill(Id filler, std::size_t index, Endpoint& endpoint) {
  Words words{position_, static_cast<std::uint32_t>(index),
              static_cast<std::uint32_t>(branches_.size())};
  for (const Branch& branch : branches_) {
    words.append(Words{branch.root, branch.size, branch.taken});
  }
  for (const std::uint8_t c : sequence_) words.push_back(c);
  const auto ids = static_cast<std::uint8_t>(branches_.size());
  endpoint.send(filler, {tag_, 0, Kind::Fill, ids, std::move(words)});
}

/// One of the branches of a Fill.
ShrinkAndBalance::Branch ShrinkAndBalance::branch_at(const std::uint32_t* words,
                                                     std::uint16_t position) {
  Branch branch;
  branch.root = words[0];
  branch.size = words[1];
  branch.taken = static_cast<std::uint16_t>(words[2]);
  branch.position = static_cast<std::uint16_t>(position + 1);
  return branch;
}

void ShrinkAndBalance::take_fill(const Words& words, Endpoint& endpoint) {
  const auto position = static_cast<std::uint16_t>(words[0]);
  if (fillers_ == Fillers::Children) {
    fills_.push_back(words);
    return take_fills_in_order(endpoint);
  }
  // A filler that moves on has nothing left below its last position: the highest is all that
  // counts.
  if (position >= position_) return;
  position_ = position;
  branches_.clear();
  std::uint32_t at = 3;
  for (std::uint32_t c = 0; c < words[2]; ++c, at += 3) {
    branches_.push_back(branch_at(words.data() + at, position_));
  }
  sequence_.assign(words.begin() + at, words.end());
  if (position_ == 0) begin(endpoint);
}

/// A child filler rises one level at a time, and leaves the place below to its own largest child.
void ShrinkAndBalance::take_fills_in_order(Endpoint& endpoint) {
  for (std::size_t i = 0; i < fills_.size();) {
    if (fills_[i][0] + 1 != position_) {
      ++i;
      continue;
    }
    const Words words = fills_[i];
    fills_.erase(fills_.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;
    const std::size_t next = largest(branches_);
    const Id risen = next < branches_.size() ? branches_[next].root : kNobody;
    if (risen != kNobody) send_fill(risen, next, endpoint);
    --position_;
    branches_.clear();
    std::uint32_t at = 3;
    for (std::uint32_t c = 0; c < words[2]; ++c, at += 3) {
      branches_.push_back(branch_at(words.data() + at, position_));
    }
    Branch& own = branches_[words[1]];
    own.root = risen;
    --own.size;
  }
  if (fills_.empty()) std::vector<Words>().swap(fills_);
  if (position_ == 0) begin(endpoint);
}

}  // namespace espalier::group
