#include "group/parallel_sort.hpp"

#include <algorithm>
#include <utility>

#include "base/contract.hpp"

namespace espalier::group {
namespace {

enum Stage : std::uint32_t { OneItem, Block, AllEnds, YourRank, WhoIs, ThisIs };
constexpr Rank kPadding = static_cast<Rank>(-1);

/// All (size, stride) of a bitonic sort of p blocks, in order.
std::vector<std::pair<Rank, Rank>> bitonic_steps(Rank p) {
  std::vector<std::pair<Rank, Rank>> steps;
  for (Rank size = 2; size <= p; size *= 2) {
    for (Rank stride = size / 2; stride > 0; stride /= 2) steps.emplace_back(size, stride);
  }
  return steps;
}

Rank children_of(Rank rank, Rank size, Rank degree) {
  const std::uint64_t first = std::uint64_t{rank} * degree + 1;
  return first >= size ? 0 : static_cast<Rank>(std::min<std::uint64_t>(degree, size - first));
}

}  // namespace

/// One of those who sort.
struct ParallelSort::Sorter {
  Rank index = 0;
  Rank missing = 0;                  // items of its own block
  std::vector<ColourAndRank> items;  // the block; once sorted, its part of the table
  std::size_t step = 0;
  std::map<std::size_t, Words> blocks;  // blocks of partners, by step
  std::vector<BlockEnds> ends;          // ends of all blocks
  Rank heard_ends = 0;
  bool begun = false, ranked = false;
  std::int64_t requests = 0;  // still to be answered; may be negative before they are counted
};

ParallelSort::ParallelSort(Tag tag, const GroupView& parent, const ConstructionOptions& options)
    : parent_(parent), tag_(tag), work_(nullptr, [](Sorter* sorter) { delete sorter; }) {
  expects(parent.numbering == Numbering::World, "this baseline splits the world only");
  while (std::uint64_t{sorters_} * 2 * sorters_ * 2 <= parent.size) sorters_ *= 2;
  block_ = (parent.size + sorters_ - 1) / sorters_;
  view_.degree = static_cast<std::uint16_t>(options.degree);
  view_.numbering = Numbering::Heap;
  // Blocks that begin beyond the last process have nobody to sort them.
  while (sorters_ > 1 && std::uint64_t{sorters_ - 1} * block_ >= parent.size) {
    sorters_ /= 2;
    block_ = (parent.size + sorters_ - 1) / sorters_;
  }
  if (parent.rank % block_ != 0) return;
  work_.reset(new Sorter);
  work_->index = parent.rank / block_;
  work_->missing = std::min<Rank>(block_, parent.size - parent.rank);
  work_->ends.resize(sorters_);
}

void ParallelSort::enter(Colour colour, Endpoint& endpoint) {
  const Rank own = endpoint.self() / block_;
  endpoint.send(sorter(own), {tag_, 0, Kind::Sort, 1, Words{OneItem, colour, endpoint.self()}});
}

void ParallelSort::receive(const Message& message, Endpoint& endpoint) {
  const Words& words = message.words;
  switch (words[0]) {
    case OneItem:
      return take_item(words, endpoint);
    case Block:
      work_->blocks[words[1]] = words;
      return sort_on(endpoint);
    case AllEnds:
      work_->ends[words[1]] = {words[2], words[3], words[4], words[5]};
      ++work_->heard_ends;
      return rank_items(endpoint);
    case YourRank:
      return take_rank(words, endpoint);
    case WhoIs:
      return serve(message.from, words, endpoint);
    default:
      if (words[1] == 0) view_.parent = words[2];
      if (words[1] > 0) view_.children[words[1] - 1] = words[2];
      --open_;
  }
}

void ParallelSort::take_item(const Words& words, Endpoint& endpoint) {
  work_->items.push_back(ColourAndRank{words[1]} << 32U | words[2]);
  if (--work_->missing > 0) return;
  work_->items.resize(block_, ~ColourAndRank{0});
  std::sort(work_->items.begin(), work_->items.end());
  sort_on(endpoint);
}

/// Sends its block to the partner of each step and keeps the lower or the upper half of both.
void ParallelSort::sort_on(Endpoint& endpoint) {
  if (work_->missing > 0) return;
  const auto steps = bitonic_steps(sorters_);
  const auto send_block = [&] {
    Words words{Block, static_cast<std::uint32_t>(work_->step)};
    for (const ColourAndRank item : work_->items) {
      words.append(Words{static_cast<Colour>(item >> 32U), static_cast<Rank>(item)});
    }
    const Rank partner = work_->index ^ steps[work_->step].second;
    endpoint.send(sorter(partner), {tag_, 0, Kind::Sort, kManyIds, std::move(words)});
  };
  if (!std::exchange(work_->begun, true) && !steps.empty()) send_block();
  while (work_->step < steps.size() && work_->blocks.contains(work_->step)) {
    const auto [size, stride] = steps[work_->step];
    const Words& other = work_->blocks[work_->step];
    std::vector<ColourAndRank> both = work_->items;
    for (std::uint32_t i = 2; i < other.size(); i += 2) {
      both.push_back(ColourAndRank{other[i]} << 32U | other[i + 1]);
    }
    std::sort(both.begin(), both.end());
    const bool ascending = (work_->index & size) == 0;
    const bool lower = ((work_->index & stride) == 0) == ascending;
    const auto half = static_cast<std::ptrdiff_t>(block_);
    work_->items.assign(lower ? both.begin() : both.begin() + half,
                        lower ? both.begin() + half : both.end());
    work_->blocks.erase(work_->step++);
    if (work_->step < steps.size()) send_block();
  }
  if (work_->step == steps.size() && !work_->items.empty()) tell_ends(endpoint);
}

void ParallelSort::tell_ends(Endpoint& endpoint) {
  work_->blocks.clear();
  const auto colour = [](ColourAndRank item) { return static_cast<Colour>(item >> 32U); };
  const auto& items = work_->items;
  const Colour first = colour(items.front()), last = colour(items.back());
  const auto count = [&](Colour c) {
    return static_cast<Rank>(std::count_if(items.begin(), items.end(),
                                           [&](ColourAndRank item) { return colour(item) == c; }));
  };
  for (Rank s = 0; s < sorters_; ++s) {
    endpoint.send(sorter(s),
                  {tag_, 0, Kind::Sort, 0,
                   Words{AllEnds, work_->index, first, last, count(first), count(last)}});
  }
}

/// Once all ends are known: every process of the block gets its group's size and its rank.
void ParallelSort::rank_items(Endpoint& endpoint) {
  if (work_->heard_ends < sorters_) return;
  const auto& items = work_->items;
  for (std::size_t i = 0; i < items.size();) {
    const auto colour = static_cast<Colour>(items[i] >> 32U);
    std::size_t j = i;
    while (j < items.size() && static_cast<Colour>(items[j] >> 32U) == colour) ++j;
    Rank before = 0, size = static_cast<Rank>(j - i);
    for (Rank s = 0; s < sorters_; ++s) {
      if (s == work_->index) continue;
      const BlockEnds& other = work_->ends[s];
      const Rank there = other.first == colour  ? other.first_count
                         : other.last == colour ? other.last_count
                                                : 0;
      size += there;
      before += s < work_->index ? there : 0;
    }
    for (std::size_t at = i; at < j; ++at) {
      const Id id = static_cast<Id>(items[at]);
      if (id == kPadding) continue;
      const Rank rank = before + static_cast<Rank>(at - i);
      const Rank start = work_->index * block_ + static_cast<Rank>(i) - before;
      const bool member = colour != kNoColour;
      endpoint.send(id, {tag_, 0, Kind::Sort, 0, Words{YourRank, member ? size : 0, rank, start}});
      if (!member) continue;
      work_->requests += children_of(rank, size, view_.degree) + (rank > 0 ? 1 : 0);
    }
    i = j;
  }
  work_->ranked = true;
}

void ParallelSort::take_rank(const Words& words, Endpoint& endpoint) {
  ranked_ = true;
  if (words[1] == 0) return;
  view_.size = words[1];
  view_.rank = words[2];
  view_.depth = static_cast<std::uint16_t>(heap_depth(view_.rank, view_.degree));
  start_ = words[3];
  const Rank children = children_of(view_.rank, view_.size, view_.degree);
  view_.children.assign(children, kNobody);
  if (view_.rank > 0) ask((view_.rank - 1) / view_.degree, 0, endpoint);
  for (Rank c = 0; c < children; ++c) ask(view_.rank * view_.degree + 1 + c, 1 + c, endpoint);
}

void ParallelSort::ask(Rank rank, std::uint32_t number, Endpoint& endpoint) {
  ++open_;
  const Rank at = start_ + rank;
  endpoint.send(sorter(at / block_), {tag_, 0, Kind::Table, 0, Words{WhoIs, number, at % block_}});
}

void ParallelSort::serve(Id who, const Words& words, Endpoint& endpoint) {
  --work_->requests;
  const Id id = static_cast<Id>(work_->items[words[2]]);
  endpoint.send(who, {tag_, 0, Kind::Table, 1, Words{ThisIs, words[1], id}});
}

bool ParallelSort::done() const {
  const bool served = !work_ || (work_->ranked && work_->requests == 0);
  return ranked_ && open_ == 0 && served;
}

std::size_t ParallelSort::bytes() const {
  std::size_t total = sizeof(*this) - sizeof(GroupView) + view_.bytes();
  if (!work_) return total;
  for (const auto& [step, block] : work_->blocks) total += sizeof(block) + block.bytes_on_heap();
  return total + sizeof(Sorter) + work_->items.capacity() * sizeof(ColourAndRank) +
         work_->ends.capacity() * sizeof(BlockEnds);
}

}  // namespace espalier::group
