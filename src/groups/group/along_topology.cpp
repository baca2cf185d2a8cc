#include "group/along_topology.hpp"

#include <algorithm>
#include <optional>

#include "base/contract.hpp"

namespace espalier::group {
namespace {

// On the wire. Up, for each cluster: length of its path, the path, count. Down: the same, but
// instead of the count how many words follow and those: the next offset, and a ClusterSpot.

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
      counts_(parent.children.size()) {
  expects(options.degree > 1, "a tree that follows the topology has degree 2 or more");
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
    counts_[static_cast<std::size_t>(child - parent_.children.begin())] = message.words;
    --missing_;
    return pass_up(endpoint);
  }
  Words entries;
  entries.append(std::span<const std::uint32_t>(message.words).subspan(1));
  pass_down(entries, message.words[0], endpoint);
}

void AlongTopology::pass_up(Endpoint& endpoint) {
  if (!entered_ || missing_ > 0) return;
  Words below;
  if (member_) append(below, {path_, Words{1}}, false);
  for (const Words& counts : counts_) below = merged(below, counts);
  if (parent_.parent != kNobody) {
    endpoint.send(parent_.parent, {tag_, 0, Kind::Up, 0, std::move(below)});
    return;
  }
  Rank total = 0;
  const Words entries = arranged(below, degree_, total);
  pass_down(entries, total, endpoint);
}

/// The clusters of this sub-tree; a child gets its own, numbered after what came before it.
void AlongTopology::pass_down(const Words& entries, Rank total, Endpoint& endpoint) {
  exchange_.set_total(total);
  std::vector<Item> items = items_of(entries, true);
  std::optional<Vertex> own;
  const auto mine = std::find_if(items.begin(), items.end(),
                                 [&](const Item& item) { return item.path == path_; });
  if (member_) own = vertex_at(unpacked(mine->body), mine->body[0]++, degree_);
  for (std::uint32_t c = 0; c < counts_.size(); ++c) {
    Words part{total};
    auto item = items.begin();
    for (const Item& count : items_of(counts_[c], false)) {
      while (!(item->path == count.path)) ++item;
      append(part, *item, true);
      item->body[0] += count.body[0];
    }
    const Kind kind = part.size() > 1 ? Kind::Down : Kind::DownEmpty;
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
