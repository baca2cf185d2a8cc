// Shrink-and-Balance: how the vertices that must leave sub-trees find those with room. The paper
// leaves this open; what we do is in the header and in ADR 9.
#include <algorithm>
#include <utility>

#include "base/contract.hpp"
#include "group/shrink_and_balance.hpp"

namespace espalier::group {
namespace {

constexpr Rank kWorthAsking = 3;  // fewer vertices are passed on one by one with no more messages

/// In a list that is cut up, so that no message has more than log2 n ids (k = 3, n = 131,072).
constexpr std::size_t most_targets(std::size_t degree) { return 5 * degree; }

}  // namespace

/// Before several suppliers are told where to go: asks the consumers of most vertices for details,
/// all at once, so many that the list stays short whatever they say.
void ShrinkAndBalance::refine(Endpoint& endpoint) {
  const auto suppliers =
      std::count_if(gives_.begin(), gives_.end(), [](Rank gives) { return gives > 0; });
  const std::size_t an_answer = view_.degree + 1U;
  std::vector<Target> asked;
  while (suppliers > 1) {
    auto most = targets_.end();
    for (auto it = targets_.begin(); it != targets_.end(); ++it) {
      if (it->promised || it->count < kWorthAsking) continue;
      if (most == targets_.end() || it->count > most->count) most = it;
    }
    if (most == targets_.end()) break;
    if (targets_.size() - 1 + (asked.size() + 1) * an_answer > most_targets(view_.degree)) break;
    asked.push_back(*most);
    targets_.erase(most);
  }
  if (asked.empty()) return supply(endpoint);
  answers_ = static_cast<std::uint16_t>(asked.size());
  for (const Target& target : asked) {
    endpoint.send(target.consumer, {tag_, 0, Kind::Ask, 0, Words{target.count}});
  }
}

/// Those of an Answer stand for the one that was asked.
void ShrinkAndBalance::take_answer(const Words& words, Endpoint& endpoint) {
  for (std::uint32_t i = 0; i < words.size(); i += 2) {
    targets_.push_back({words[i], words[i + 1] / 2, words[i + 1] % 2 == 1});
  }
  if (--answers_ == 0) supply(endpoint);
}

/// Cuts the list of targets up for the branches, in order; who leaves itself takes the last one.
void ShrinkAndBalance::supply(Endpoint& endpoint) {
  std::size_t at = 0;
  for (std::size_t c = 0; c < branches_.size(); ++c) {
    std::vector<Target> cut;
    for (Rank left = gives_[c]; left > 0;) {
      Target part = targets_[at];
      part.count = std::min(part.count, left);
      cut.push_back(part);
      left -= part.count;
      targets_[at].count -= part.count;
      if (targets_[at].count == 0) ++at;
    }
    if (!cut.empty()) send_down(branches_[c], 0, cut, endpoint);
  }
  if (leaving_) {
    const Target& own = targets_[at];
    endpoint.send(own.consumer,
                  {tag_, 0, Kind::Adopt, 1, Words{own.promised ? 1U : 0U, endpoint.self()}});
    branches_.clear();
  }
  std::vector<Target>().swap(targets_);
  std::vector<Rank>().swap(gives_);
}

/// Room for so many: in the branches first, then in one's own missing children.
std::vector<ShrinkAndBalance::Target> ShrinkAndBalance::allocate(Rank count, Id self) {
  std::vector<Target> targets;
  for (Branch& branch : branches_) {
    const Rank part = std::min(branch.waiting, count);
    if (part == 0) continue;
    targets.push_back({branch.root, part, false});
    branch.waiting -= part;
    count -= part;
  }
  expects(count <= open_, "Shrink-and-Balance: more vertices than room");
  if (count > 0) targets.push_back({self, count, true});
  open_ -= count;
  promised_ += count;
  return targets;
}

void ShrinkAndBalance::answer(const Message& message, Endpoint& endpoint) {
  Words words;
  for (const Target& target : allocate(message.words[0], endpoint.self())) {
    words.push_back(target.consumer);
    words.push_back(2 * target.count + (target.promised ? 1 : 0));
  }
  const auto ids = static_cast<std::uint8_t>(words.size() / 2);
  endpoint.send(message.from, {tag_, 0, Kind::Answer, ids, std::move(words)});
}

void ShrinkAndBalance::adopt(Id vertex, bool promised, Endpoint& endpoint) {
  if (promised || open_ > 0) {
    --(promised ? promised_ : open_);
    return put_in_slot(vertex, endpoint);
  }
  const auto it = std::find_if(branches_.begin(), branches_.end(),
                               [](const Branch& branch) { return branch.waiting > 0; });
  expects(it != branches_.end(), "Shrink-and-Balance: a vertex came for which there is no room");
  --it->waiting;
  endpoint.send(it->root, {tag_, 0, Kind::Forward, 1, Words{0, vertex}});
}

void ShrinkAndBalance::put_in_slot(Id vertex, Endpoint& endpoint) {
  auto it = std::find_if(slots_.begin(), slots_.end(),
                         [](const Slot& slot) { return slot.root == kNobody; });
  if (it != slots_.end()) {
    it->root = vertex;
    --it->to_come;
    view_.children.push_back(vertex);
    view_.below.push_back(it->size);
    endpoint.send(
        vertex, {tag_, 0, Kind::Placed, 0, Words{levels_ - 1U, view_.size, it->rank, it->to_come}});
    return;
  }
  it =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.to_come > 0; });
  expects(it != slots_.end(), "Shrink-and-Balance: a vertex came for which there is no room");
  --it->to_come;
  endpoint.send(it->root, {tag_, 0, Kind::Forward, 1, Words{0, vertex}});
}

}  // namespace espalier::group
