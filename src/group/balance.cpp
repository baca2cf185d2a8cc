// A. Langer, R. Venkataraman, L. Kale: "Scalable algorithms for constructing balanced spanning
// trees on system-ranked process groups", EuroMPI 2012, section 4: the downward pass. How suppliers
// and consumers find each other the paper leaves open; what we do is in the header and in ADR 9.
#include <algorithm>
#include <utility>

#include "base/contract.hpp"
#include "group/shrink_and_balance.hpp"

namespace espalier::group {
namespace {

constexpr std::uint32_t kDownHead = 6;  // position, taken, levels, size, rank, imports
constexpr Rank kWorthAsking = 3;  // fewer vertices are passed on one by one with no more messages

}  // namespace

void ShrinkAndBalance::receive(const Message& message, Endpoint& endpoint) {
  if (!handle(message, endpoint)) {
    early_.push_back(message);
    return;
  }
  for (std::size_t i = 0; i < early_.size();) {
    const Message waiting = early_[i];
    if (!handle(waiting, endpoint)) {
      ++i;
      continue;
    }
    early_.erase(early_.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;  // it may have been what others waited for
  }
  if (early_.empty()) std::vector<Message>().swap(early_);
}

/// @return false if it is too early for the message
bool ShrinkAndBalance::handle(const Message& message, Endpoint& endpoint) {
  switch (message.kind) {
    case Kind::Up: {
      if (offers_.empty()) offers_.resize(parent_.children.size());
      const auto child = std::find(parent_.children.begin(), parent_.children.end(), message.from);
      offers_[static_cast<std::size_t>(child - parent_.children.begin())] = message.words;
      --missing_;
      shrink(endpoint);
      return true;
    }
    case Kind::Fill:
      return take_fill(message.words, endpoint), true;
    case Kind::Down:
      return take_down(message, endpoint);
    case Kind::Graft:
      return give_graft(message, endpoint);
    case Kind::Grafted:
      return take_graft(message, endpoint), true;
    case Kind::Placed:
      return take_placed(message, endpoint), true;
    case Kind::Ask:
      if (planned_) answer(message, endpoint);
      return planned_;
    case Kind::Answer:
      for (std::uint32_t i = 0; i < message.words.size(); i += 2) {
        const std::uint32_t count = message.words[i + 1];
        targets_.push_back({message.words[i], count / 2, count % 2 == 1});
      }
      supply(endpoint);
      return true;
    case Kind::Adopt:
    case Kind::Forward:
      if (planned_) adopt(message.words[1], message.words[0] == 1, endpoint);
      return planned_;
    default:
      fail_contract("Shrink-and-Balance: a message of another kind", SourceLine::current());
  }
}

void ShrinkAndBalance::begin(Endpoint& endpoint) {
  place_.rank = 0;
  place_.size = 1 + size_here();
  place_.parent = kNobody;
  levels_ = static_cast<std::uint16_t>(least_levels(place_.size, place_.degree));
  apply_taken(0);
  plan(endpoint);
}

bool ShrinkAndBalance::take_down(const Message& message, Endpoint& endpoint) {
  const Words& words = message.words;
  if (!shrunk_ || words[0] != position_) return false;  // the Fill is still under way
  apply_taken(words[1]);
  levels_ = static_cast<std::uint16_t>(words[2]);
  place_.size = words[3];
  place_.rank = words[4];
  place_.parent = message.from;
  imports_ = words[5];
  for (std::uint32_t i = kDownHead; i < words.size(); i += 2) {
    targets_.push_back({words[i], words[i + 1] / 2, words[i + 1] % 2 == 1});
  }
  plan(endpoint);
  return true;
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

/// Gives the largest branch away, whole.
bool ShrinkAndBalance::give_graft(const Message& message, Endpoint& endpoint) {
  if (!shrunk_ || message.words[0] != position_) return false;
  apply_taken(message.words[1]);
  const auto it =
      std::max_element(branches_.begin(), branches_.end(),
                       [](const Branch& a, const Branch& b) { return a.size < b.size; });
  Words words;
  if (it != branches_.end()) {
    words = {it->root, it->size, it->taken, it->position};
    branches_.erase(it);
  }
  endpoint.send(message.from, {tag_, 0, Kind::Grafted, 1, std::move(words)});
  return true;
}

void ShrinkAndBalance::take_graft(const Message& message, Endpoint& endpoint) {
  const Words& words = message.words;
  if (words.empty()) {
    grafts_ = 255;
  } else {
    for (Branch& branch : branches_) {
      if (branch.root == message.from) branch.size -= words[1];
    }
    Branch grafted;
    grafted.root = words[0];
    grafted.size = words[1];
    grafted.taken = static_cast<std::uint16_t>(words[2]);
    grafted.position = static_cast<std::uint16_t>(words[3]);
    branches_.push_back(grafted);
  }
  plan(endpoint);
}

void ShrinkAndBalance::take_placed(const Message& message, Endpoint& endpoint) {
  const Words& words = message.words;
  leaving_ = false;
  place_.parent = message.from;
  levels_ = static_cast<std::uint16_t>(words[0]);
  place_.size = words[1];
  place_.rank = words[2];
  imports_ = words[3];
  plan(endpoint);
}

Rank ShrinkAndBalance::exports() const {
  Rank count = 0;
  for (const Target& target : targets_) count += target.count;
  return count;
}

void ShrinkAndBalance::plan(Endpoint& endpoint) {
  if (exports() == 1 + size_here()) {
    leaving_ = true;
    place_.rank = kNoRank;
    for (const Branch& branch : branches_) gives_.push_back(branch.size);
    return refine(endpoint);
  }
  // A parent of higher degree: its smallest branches have to go.
  auto kept = std::count_if(branches_.begin(), branches_.end(),
                            [](const Branch& branch) { return !branch.dissolved; });
  for (; kept > place_.degree; --kept) {
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
  return plan_balance(sizes, {levels_, place_.degree, exports(), imports_}, dissolved);
}

/// Asks for a sub-tree where many vertices would have to come one by one. @return whether it did
bool ShrinkAndBalance::graft_first(const BalancePlan& plan, Endpoint& endpoint) {
  const Rank few = few_vertices(place_.degree);
  if (grafts_ >= 2 * place_.degree) return false;
  std::size_t donor = branches_.size();
  for (std::size_t c = 0; c < branches_.size(); ++c) {
    if (branches_[c].dissolved) continue;
    if (donor == branches_.size() || branches_[c].size > branches_[donor].size) donor = c;
  }
  if (donor == branches_.size() || branches_[donor].size <= few) return false;
  bool wanted = std::any_of(plan.slots.begin(), plan.slots.end(),
                            [&](Rank vertices) { return vertices > few; });
  // A small branch that would have to grow much stands in the way of a large one.
  for (std::size_t c = 0; c < branches_.size() && !wanted; ++c) {
    if (c == donor || plan.children[c].takes <= 4 * branches_[c].size + few) continue;
    branches_[c].dissolved = wanted = true;
  }
  if (!wanted) return false;
  ++grafts_;
  Branch& from = branches_[donor];
  Words words{from.position, std::exchange(from.taken, std::uint16_t{0})};
  endpoint.send(from.root, {tag_, 0, Kind::Graft, 0, std::move(words)});
  return true;
}

/// Every branch and every child to be gets its ranks; who has nothing to give is told at once.
void ShrinkAndBalance::settle(const BalancePlan& plan, Endpoint& endpoint) {
  place_.depth = static_cast<std::uint16_t>(least_levels(place_.size, place_.degree) - levels_);
  Rank next = place_.rank + 1;
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
    place_.children.push_back(branch.root);
    place_.below.push_back(size);
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
  for (const BalancePlan::Share& share : plan.children) gives_.push_back(share.gives);
  refine(endpoint);
}

void ShrinkAndBalance::send_down(const Branch& branch, Rank imports,
                                 std::span<const Target> targets, Endpoint& endpoint) {
  Words words{branch.position, branch.taken, levels_ - 1U, place_.size, branch.rank, imports};
  for (const Target& target : targets) {
    words.push_back(target.consumer);
    words.push_back(2 * target.count + (target.promised ? 1 : 0));
  }
  const auto ids = static_cast<std::uint8_t>(std::min<std::size_t>(targets.size(), kManyIds - 1));
  endpoint.send(branch.root, {tag_, 0, Kind::Down, ids, std::move(words)});
}

/// Before several suppliers are told where to go: asks the consumer of most vertices for details.
void ShrinkAndBalance::refine(Endpoint& endpoint) {
  const auto suppliers =
      std::count_if(gives_.begin(), gives_.end(), [](Rank gives) { return gives > 0; });
  auto most = targets_.end();
  for (auto it = targets_.begin(); it != targets_.end(); ++it) {
    if (it->promised || it->count < kWorthAsking) continue;
    if (most == targets_.end() || it->count > most->count) most = it;
  }
  if (suppliers < 2 || targets_.size() > place_.degree || most == targets_.end()) {
    return supply(endpoint);
  }
  const Target asked = *most;
  targets_.erase(most);
  endpoint.send(asked.consumer, {tag_, 0, Kind::Ask, 0, Words{asked.count}});
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
    place_.children.push_back(vertex);
    place_.below.push_back(it->size);
    endpoint.send(vertex, {tag_, 0, Kind::Placed, 0,
                           Words{levels_ - 1U, place_.size, it->rank, it->to_come}});
    return;
  }
  it =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.to_come > 0; });
  expects(it != slots_.end(), "Shrink-and-Balance: a vertex came for which there is no room");
  --it->to_come;
  endpoint.send(it->root, {tag_, 0, Kind::Forward, 1, Words{0, vertex}});
}

bool ShrinkAndBalance::done() const {
  if (!member_) return entered_ && shrunk_;
  const bool told = std::all_of(branches_.begin(), branches_.end(),
                                [](const Branch& branch) { return branch.waiting == 0; });
  return planned_ && fills_heard_ == fills_expected_ && gives_.empty() && told &&
         open_ + promised_ == 0;
}

std::size_t ShrinkAndBalance::bytes() const {
  std::size_t total = sizeof(*this) - sizeof(Place) + place_.bytes();
  for (const Words& offer : offers_) total += sizeof(offer) + offer.bytes_on_heap();
  for (const Words& fill : fills_) total += sizeof(fill) + fill.bytes_on_heap();
  for (const Message& message : early_) total += sizeof(message) + message.words.bytes_on_heap();
  return total + branches_.capacity() * sizeof(Branch) + sequence_.capacity() +
         targets_.capacity() * sizeof(Target) + gives_.capacity() * sizeof(Rank) +
         slots_.capacity() * sizeof(Slot);
}

}  // namespace espalier::group
