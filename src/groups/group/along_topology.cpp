#include "group/along_topology.hpp"

#include <algorithm>
#include <optional>

#include "base/contract.hpp"

namespace espalier::group {
namespace {

// On the wire. Up: how many names of a path count; for each cluster: length of its path, the path,
// count. Down: number of all members, how many names count; for each cluster the same, but instead
// of the count how many words follow and those: the next offset, and a ClusterSpot.

constexpr std::uint32_t kAllNames = static_cast<std::uint32_t>(-1);

struct Item {
  Words path;
  Words body;
};

Item item_at(std::span<const std::uint32_t> words, std::size_t& at, bool down) {
  Item item;
  item.path.append(words.subspan(at + 1, words[at]));
  at += 1 + words[at];
  const std::size_t length = down ? words[at++] : 1;
  item.body.append(words.subspan(at, length));
  at += length;
  return item;
}

std::vector<Item> items_of(const Words& words, bool down) {
  std::vector<Item> items;
  for (std::size_t at = 0; at < words.size();) items.push_back(item_at(words, at, down));
  return items;
}

void append(Words& words, const Item& item, bool down) {
  words.push_back(item.path.size());
  words.append(item.path);
  if (down) words.push_back(item.body.size());
  words.append(item.body);
}

/// Two lists of clusters, each in order, into one.
Words merged(const Words& a, const Words& b) {
  Words sum;
  const std::vector<Item> left = items_of(a, false), right = items_of(b, false);
  auto i = left.begin();
  auto j = right.begin();
  while (i != left.end() || j != right.end()) {
    const bool from_a = j == right.end() || (i != left.end() && !lies_before(j->path, i->path));
    const bool from_b = i == left.end() || (j != right.end() && !lies_before(i->path, j->path));
    Item item = from_a ? *i : *j;
    if (from_a && from_b) item.body[0] += j->body[0];
    append(sum, item, false);
    i += from_a ? 1 : 0;
    j += from_b ? 1 : 0;
  }
  return sum;
}

Words cut(const Words& path, std::uint32_t names) {
  Words outer;
  outer.append(std::span<const std::uint32_t>(path).first(std::min(path.size(), names)));
  return outer;
}

/// A list of clusters, in order, with paths of at most so many names.
Words cut_all(const Words& counts, std::uint32_t names) {
  if (names == kAllNames) return counts;
  std::vector<Item> items = items_of(counts, false);
  for (Item& item : items) item.path = cut(item.path, names);
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return lies_before(a.path, b.path); });
  Words outer;
  for (auto item = items.begin(); item != items.end();) {
    Item sum = *item++;
    for (; item != items.end() && item->path == sum.path; ++item) sum.body[0] += item->body[0];
    append(outer, sum, false);
  }
  return outer;
}

/// Cuts as few names as leave at most so many clusters; `names` is lessened to what is left.
Words bounded(Words counts, std::uint32_t most, std::uint32_t& names) {
  while (true) {
    const std::vector<Item> items = items_of(counts, false);
    std::uint32_t longest = 0;
    for (const Item& item : items) longest = std::max(longest, item.path.size());
    if (items.size() <= most || longest == 0) break;
    names = std::min(names, longest) - 1;
    counts = cut_all(counts, names);
  }
  return counts;
}

Words packed(const ClusterSpot& spot) {
  Words words{0, spot.first, spot.size, spot.above, spot.slot, spot.depth, spot.gateway ? 1U : 0U};
  for (const Hanging& below : spot.hanging) words.append(Words{below.first, below.total});
  return words;
}

ClusterSpot unpacked(const Words& words) {
  ClusterSpot spot{words[1], words[2], words[3], words[4], words[5], words[6] == 1, {}};
  for (std::uint32_t i = 7; i < words.size(); i += 2) {
    spot.hanging.push_back({words[i], words[i + 1]});
  }
  return spot;
}

/// What the root of the parent's tree makes of all counts.
Words arranged(const Words& counts, Rank degree, Rank& total) {
  std::vector<ClusterCount> clusters;
  for (Item& item : items_of(counts, false)) {
    total += item.body[0];
    clusters.push_back({std::move(item.path), item.body[0]});
  }
  const std::vector<ClusterSpot> spots = arrange_clusters(clusters, degree);
  Words entries;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    append(entries, {clusters[i].path, packed(spots[i])}, true);
  }
  return entries;
}

}  // namespace

AlongTopology::AlongTopology(Tag tag, const GroupView& parent, Words path,
                             const ConstructionOptions& options)
    : parent_(parent),
      exchange_(tag, parent, options.degree, options.routable, IdExchange::TreeForm::Given),
      tag_(tag),
      degree_(options.degree),
      missing_(parent.children.size()),
      path_(std::move(path)),
      most_clusters_(options.most_clusters),
      names_(kAllNames),
      counts_(parent.children.size()) {
  expects(options.degree > 1, "a tree that follows the topology has degree 2 or more");
  expects(options.most_clusters > 0, "a tree that follows the topology has a cluster");
}

void AlongTopology::enter(Colour colour, Endpoint& endpoint) {
  entered_ = true;
  member_ = colour != kNoColour;
  pass_up(endpoint);
}

void AlongTopology::receive(const Message& message, Endpoint& endpoint) {
  if (exchange_.receive(message, endpoint)) return;
  if (message.kind == Kind::Up) {
    const auto child = std::find(parent_.children.begin(), parent_.children.end(), message.from);
    Words& below = counts_[static_cast<std::size_t>(child - parent_.children.begin())];
    below.clear();
    below.append(std::span<const std::uint32_t>(message.words).subspan(1));
    names_ = std::min(names_, message.words[0]);
    --missing_;
    return pass_up(endpoint);
  }
  Words entries;
  entries.append(std::span<const std::uint32_t>(message.words).subspan(2));
  pass_down(std::move(entries), message.words[1], message.words[0], endpoint);
}

void AlongTopology::pass_up(Endpoint& endpoint) {
  if (!entered_ || missing_ > 0) return;
  Words below;
  if (member_) append(below, {cut(path_, names_), Words{1}}, false);
  for (const Words& counts : counts_) {
    below = bounded(merged(below, cut_all(counts, names_)), most_clusters_, names_);
  }
  if (parent_.parent != kNobody) {
    Words message{names_};
    message.append(below);
    endpoint.send(parent_.parent, {tag_, 0, Kind::Up, 0, std::move(message)});
    return;
  }
  Rank total = 0;
  Words entries = arranged(below, degree_, total);
  pass_down(std::move(entries), names_, total, endpoint);
}

/// The clusters of this sub-tree; a child gets its own, numbered after what came before it.
void AlongTopology::pass_down(Words entries, std::uint32_t names, Rank total, Endpoint& endpoint) {
  exchange_.set_total(total);
  std::vector<Item> items = items_of(entries, true);
  entries.clear();
  std::optional<Vertex> own;
  const auto mine = std::find_if(items.begin(), items.end(),
                                 [&](const Item& item) { return item.path == cut(path_, names); });
  if (member_) own = vertex_at(unpacked(mine->body), mine->body[0]++, degree_);
  for (std::uint32_t c = 0; c < counts_.size(); ++c) {
    Words part{total, names};
    auto item = items.begin();
    for (const Item& count : items_of(cut_all(counts_[c], names), false)) {
      while (!(item->path == count.path)) ++item;
      append(part, *item, true);
      item->body[0] += count.body[0];
    }
    const Kind kind = part.size() > 2 ? Kind::Down : Kind::DownEmpty;
    endpoint.send(parent_.children[c], {tag_, 0, kind, 0, std::move(part)});
  }
  std::vector<Words>().swap(counts_);
  if (own) exchange_.announce_at(*own, total, endpoint);
  ranked_ = true;
}

std::size_t AlongTopology::bytes() const {
  std::size_t total = sizeof(*this) + exchange_.bytes_on_heap() + path_.bytes_on_heap();
  for (const Words& counts : counts_) total += sizeof(counts) + counts.bytes_on_heap();
  return total;
}

}  // namespace espalier::group
