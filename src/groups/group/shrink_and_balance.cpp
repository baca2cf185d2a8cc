// A. Langer, R. Venkataraman, L. Kale: "Scalable algorithms for constructing balanced spanning
// trees on system-ranked process groups", EuroMPI 2012, section 4: what a message leads
// to, and when the part of a process is over. The passes: shrink.cpp, balance.cpp, graft.cpp,
// supply.cpp.
#include "group/shrink_and_balance.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::group {

ShrinkAndBalance::ShrinkAndBalance(Tag tag, const GroupView& parent,
                                   const ConstructionOptions& options, Fillers fillers)
    : parent_(parent),
      tag_(tag),
      fillers_(fillers),
      position_(parent.depth),
      missing_(parent.children.size()) {
  expects(parent.children.size() < 255, "Shrink-and-Balance: the parent's degree is below 255");
  view_.degree = static_cast<std::uint16_t>(options.degree);
  view_.numbering = Numbering::Preorder;
}

void ShrinkAndBalance::enter(Colour colour, Endpoint& endpoint) {
  entered_ = true;
  member_ = colour != kNoColour;
  shrink(endpoint);
}

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
      return take_answer(message.words, endpoint), true;
    case Kind::Adopt:
    case Kind::Forward:
      if (planned_) adopt(message.words[1], message.words[0] == 1, endpoint);
      return planned_;
    default:
      fail_contract("Shrink-and-Balance: a message of another kind", SourceLine::current());
  }
}

bool ShrinkAndBalance::done() const {
  if (!member_) return entered_ && shrunk_;
  const bool told = std::all_of(branches_.begin(), branches_.end(),
                                [](const Branch& branch) { return branch.waiting == 0; });
  return planned_ && fills_heard_ == fills_expected_ && gives_.empty() && told &&
         open_ + promised_ == 0;
}

std::size_t ShrinkAndBalance::bytes() const {
  std::size_t total = sizeof(*this) - sizeof(GroupView) + view_.bytes();
  for (const Words& offer : offers_) total += sizeof(offer) + offer.bytes_on_heap();
  for (const Words& fill : fills_) total += sizeof(fill) + fill.bytes_on_heap();
  for (const Message& message : early_) total += sizeof(message) + message.words.bytes_on_heap();
  return total + branches_.capacity() * sizeof(Branch) + sequence_.capacity() +
         targets_.capacity() * sizeof(Target) + gives_.capacity() * sizeof(Rank) +
         slots_.capacity() * sizeof(Slot);
}

}  // namespace espalier::group
