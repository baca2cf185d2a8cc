// A. Langer, R. Venkataraman, L. Kale: "Scalable algorithms for constructing balanced spanning
// trees on system-ranked process groups", EuroMPI 2012, section 6: the multi-colour version.
#include "group/colours.hpp"

#include <algorithm>
#include <optional>

namespace espalier::group {
namespace {

/// What one colour looks like on its way down.
struct Entry {
  Colour colour;
  Rank next;   // rank of the first member in this sub-tree
  Rank size;   // number of members of the group
  Rank first;  // index of the group's first member among all members
};
constexpr std::uint32_t kEntry = 4;

Entry entry(const Words& words, std::uint32_t i) {
  return {words[kEntry * i], words[kEntry * i + 1], words[kEntry * i + 2], words[kEntry * i + 3]};
}

/// Two lists of (colour, count), each by colour, into one.
Words merged_counts(const Words& a, const Words& b) {
  Words sum;
  std::uint32_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool from_a = j >= b.size() || (i < a.size() && a[i] <= b[j]);
    const bool from_b = i >= a.size() || (j < b.size() && b[j] <= a[i]);
    sum.push_back(from_a ? a[i] : b[j]);
    sum.push_back((from_a ? a[i + 1] : 0) + (from_b ? b[j + 1] : 0));
    i += from_a ? 2 : 0;
    j += from_b ? 2 : 0;
  }
  return sum;
}

}  // namespace

RankAndHashColours::RankAndHashColours(Tag tag, const GroupView& parent,
                                       const ConstructionOptions& options)
    : parent_(parent),
      exchange_(tag, parent, options.degree, options.routable),
      tag_(tag),
      missing_(parent.children.size()),
      counts_(parent.children.size()) {}

void RankAndHashColours::enter(Colour colour, Endpoint& endpoint) {
  entered_ = true;
  colour_ = colour;
  pass_up(endpoint);
}

void RankAndHashColours::receive(const Message& message, Endpoint& endpoint) {
  if (exchange_.receive(message, endpoint)) return;
  if (message.kind == Kind::Up) {
    const auto child = std::find(parent_.children.begin(), parent_.children.end(), message.from);
    counts_[static_cast<std::size_t>(child - parent_.children.begin())] = message.words;
    --missing_;
    return pass_up(endpoint);
  }
  Words entries;
  entries.append(std::span<const std::uint32_t>(message.words).subspan(1));
  pass_down(std::move(entries), message.words[0], endpoint);
}

void RankAndHashColours::pass_up(Endpoint& endpoint) {
  if (!entered_ || missing_ > 0) return;
  Words below;
  if (colour_ != kNoColour) below = {colour_, 1};
  for (const Words& counts : counts_) below = merged_counts(below, counts);
  if (parent_.parent != kNobody) {
    endpoint.send(parent_.parent, {tag_, 0, Kind::Up, 0, std::move(below)});
    return;
  }
  Words entries;
  Rank total = 0;
  for (std::uint32_t i = 0; i < below.size(); i += 2) {
    entries.append(Words{below[i], 0, below[i + 1], total});
    total += below[i + 1];
  }
  pass_down(std::move(entries), total, endpoint);
}

/// The colours of this sub-tree; a child gets those of its own, ranked after what came before it.
void RankAndHashColours::pass_down(Words entries, Rank total, Endpoint& endpoint) {
  exchange_.set_total(total);
  std::optional<Entry> own;
  for (std::uint32_t i = 0; i < entries.size() / kEntry && colour_ != kNoColour; ++i) {
    if (entries[kEntry * i] != colour_) continue;
    own = entry(entries, i);
    ++entries[kEntry * i + 1];
  }
  for (std::uint32_t c = 0; c < counts_.size(); ++c) {
    Words part{total};
    std::uint32_t i = 0;
    for (std::uint32_t j = 0; j < counts_[c].size(); j += 2, ++i) {
      while (entries[kEntry * i] != counts_[c][j]) ++i;
      part.append(std::span<const std::uint32_t>(entries).subspan(kEntry * i, kEntry));
      entries[kEntry * i + 1] += counts_[c][j + 1];
    }
    const Kind kind = part.size() > 1 ? Kind::Down : Kind::DownEmpty;
    endpoint.send(parent_.children[c], {tag_, 0, kind, 0, std::move(part)});
  }
  std::vector<Words>().swap(counts_);
  if (own) exchange_.announce(own->next, {own->size, own->first}, endpoint);
  ranked_ = true;
}

std::size_t RankAndHashColours::bytes() const {
  std::size_t total = sizeof(*this) + exchange_.bytes_on_heap();
  for (const Words& counts : counts_) total += sizeof(counts) + counts.bytes_on_heap();
  return total;
}

}  // namespace espalier::group
