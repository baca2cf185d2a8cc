// A. Langer, R. Venkataraman, L. Kale: "Scalable algorithms for constructing balanced spanning
// trees on system-ranked process groups", EuroMPI 2012, section 4: the upward pass.
#include <algorithm>

#include "group/shrink_and_balance.hpp"

namespace espalier::group {
namespace {

constexpr std::uint32_t kOfferHead = 3;  // size, root, number of candidates; then the candidates
constexpr std::uint32_t kFillHead = 4;   // position, branch, fills before, number of branches

/// How many Fills a candidate was sent already; after the candidates, for those who were.
std::uint32_t fills_before(const Words& offer, std::uint32_t index) {
  for (std::uint32_t at = kOfferHead + offer[2]; at < offer.size(); at += 2) {
    if (offer[at] == index) return offer[at + 1];
  }
  return 0;
}

/// The largest branch; ties to the first. @return how many there are if all are empty
template <typename Branches>
std::size_t largest(const Branches& branches) {
  const auto it = std::max_element(branches.begin(), branches.end(),
                                   [](const auto& a, const auto& b) { return a.size < b.size; });
  if (it == branches.end() || it->size == 0) return branches.size();
  return static_cast<std::size_t>(it - branches.begin());
}

}  // namespace

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
  const Rank size = size_here() + Rank{member_};
  Holder holder{member_ ? endpoint.self() : kNobody, branches_.size(), 0};
  if (!member_ && size > 0) holder = chosen_filler();
  Words offer{size};
  if (size > 0) offer.append(Words{holder.id, 0});
  if (size > 0 && fillers_ == Fillers::Leaves) offer_candidates(holder, offer);
  std::vector<Words>().swap(offers_);
  shrunk_ = true;
  if (parent_.parent != kNobody) {
    const auto ids = static_cast<std::uint8_t>(size > 0 ? 1 + offer[2] : 0);
    endpoint.send(parent_.parent, {tag_, 0, Kind::Up, ids, std::move(offer)});
  }
  if (member_) {
    if (position_ == 0) begin(endpoint);
    return;
  }
  if (size > 0) send_fill(holder, endpoint);
  branches_.clear();
  sequence_.clear();
}

ShrinkAndBalance::Holder ShrinkAndBalance::chosen_filler() {
  const std::size_t from = largest(branches_);
  if (fillers_ == Fillers::Children) return {branches_[from].root, from, 0};
  ++branches_[from].taken;
  --branches_[from].size;
  return {offers_[from][kOfferHead], from, fills_before(offers_[from], 0)};
}

/// As many as there are ancestors who may need one: from the largest branch each, the holder last.
void ShrinkAndBalance::offer_candidates(const Holder& holder, Words& offer) {
  std::vector<Branch> left = branches_;
  Words fills;
  while (sequence_.size() < std::min<std::size_t>(parent_.depth, offer[0])) {
    const std::size_t c = largest(left);
    const auto index = static_cast<std::uint32_t>(sequence_.size());
    std::uint32_t before = member_ ? 0 : holder.fills_before + 1;
    if (c == left.size()) {
      offer.push_back(holder.id);
    } else {
      before = fills_before(offers_[c], left[c].taken);
      offer.push_back(offers_[c][kOfferHead + left[c].taken++]);
      --left[c].size;
    }
    if (before > 0) fills.append(Words{index, before});
    sequence_.push_back(static_cast<std::uint8_t>(c));
  }
  offer[2] = static_cast<std::uint32_t>(sequence_.size());
  offer.append(fills);
}

/// Hands over one's position, as deep as position_, with all that one knows of what is below it.
void ShrinkAndBalance::send_fill(const Holder& filler, Endpoint& endpoint) {
  Words words{position_, static_cast<std::uint32_t>(filler.branch), filler.fills_before,
              static_cast<std::uint32_t>(branches_.size())};
  for (const Branch& branch : branches_) {
    words.append(Words{branch.root, branch.size, branch.taken});
  }
  for (const std::uint8_t c : sequence_) words.push_back(c);
  const auto ids = static_cast<std::uint8_t>(branches_.size());
  endpoint.send(filler.id, {tag_, 0, Kind::Fill, ids, std::move(words)});
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
  ++fills_heard_;
  if (position >= position_) return;
  position_ = position;
  fills_expected_ = static_cast<std::uint16_t>(words[2] + 1);
  branches_.clear();
  std::uint32_t at = kFillHead;
  for (std::uint32_t c = 0; c < words[3]; ++c, at += 3) {
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
    if (risen != kNobody) send_fill({risen, next, 0}, endpoint);
    --position_;
    branches_.clear();
    std::uint32_t at = kFillHead;
    for (std::uint32_t c = 0; c < words[3]; ++c, at += 3) {
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
