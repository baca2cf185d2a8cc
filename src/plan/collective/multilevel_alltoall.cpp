#include "collective/alltoall.hpp"
#include "collective/block_layout.hpp"
#include "collective/multilevel_call.hpp"
#include "collective/partition.hpp"

namespace espalier::collective {

using schedule::Axis;
using schedule::Buffer;
using schedule::IndexSet;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

constexpr std::uint32_t kUp = 0;
constexpr std::uint32_t kDown = 1;
constexpr std::uint32_t kWithinLevel = 2;
constexpr std::uint32_t kAcross = 0;  // between other ranks than all of these

class MultilevelAlltoall {
 public:
  MultilevelAlltoall(ProgramBuilder& program, const Hierarchy& hierarchy,
                     std::span<const LevelChoice> choices, std::uint64_t block)
      : program_(program),
        clusters_(outermost_clusters(hierarchy.machine())),
        here_(clusters_.part_of[program.rank()]),
        block_(block),
        links_(multilevel_links(hierarchy, choices, 0, program.rank(), 1)) {
    for (const TreeEdge& child : links_.children) {
      below_.push_back(multilevel_subtree(hierarchy, choices, 0, child.peer, 1));
      rows_ += below_.back().size();
    }
    for (Rank step = 1; step < clusters_.count(); ++step) {
      const std::vector<Rank>& ranks = clusters_.parts[(here_ + step) % clusters_.count()];
      remote_.insert(remote_.end(), ranks.begin(), ranks.end());
    }
    row_ = remote_.size() * block_;
    const auto size = static_cast<Rank>(clusters_.part_of.size());
    remote_blocks_ =
        BlockLayout::uniform(Buffer::In, 0, size, block_).region(program, IndexSet(remote_));
  }

  void run() {
    if (row_ > 0) go_up();
    exchange_within();
    if (row_ == 0) return;
    if (is_master()) exchange_across();
    go_down();
  }

 private:
  [[nodiscard]] bool is_master() const { return links_.parent.peer == kNoRank; }
  [[nodiscard]] bool is_leaf() const { return !is_master() && links_.children.empty(); }
  /// The blocks of all ranks elsewhere.
  [[nodiscard]] Region remote(Buffer buffer) const {
    Region region = remote_blocks_;
    region.buffer = buffer;
    return region;
  }
  /// Rows first .. of scratch; a row is what one rank has for all ranks elsewhere.
  [[nodiscard]] Region rows(std::uint64_t room, std::uint64_t first, std::uint64_t count) const {
    return slice(Buffer::Scratch, room + first * row_, count * row_);
  }

  /// Rows in the order of the sub-tree: this rank's own, then child by child.
  void go_up() {
    if (is_leaf()) return program_.send(links_.parent.peer, remote(Buffer::In), kUp);
    up_ = program_.scratch(rows_ * row_);
    program_.copy(remote(Buffer::In), rows(up_, 0, 1));
    std::uint64_t next = 1;
    for (std::size_t c = 0; c < below_.size(); ++c) {
      program_.recv(links_.children[c].peer, rows(up_, next, below_[c].size()), kUp);
      next += below_[c].size();
    }
    if (!is_master()) program_.send(links_.parent.peer, rows(up_, 0, rows_), kUp);
  }

  void go_down() {
    if (is_leaf()) return program_.recv(links_.parent.peer, remote(Buffer::Out), kDown);
    if (!is_master()) {
      down_ = program_.scratch(rows_ * row_);
      program_.recv(links_.parent.peer, rows(down_, 0, rows_), kDown);
    }
    std::uint64_t next = 1;
    for (std::size_t c = 0; c < below_.size(); ++c) {
      program_.send(links_.children[c].peer, rows(down_, next, below_[c].size()), kDown);
      next += below_[c].size();
    }
    program_.copy(rows(down_, 0, 1), remote(Buffer::Out));
  }

  /// Which row is whose, the ranks of the cluster rising: on the wire both ends of a bundle are in
  /// this order, so that nobody has to know another cluster's tree.
  [[nodiscard]] IndexSet rows_by_rank() const {
    std::vector<std::uint32_t> row_of(clusters_.size_of(here_), 0);
    std::uint32_t next = 1;
    for (const std::vector<Rank>& ranks : below_) {
      for (const Rank rank : ranks) row_of[clusters_.position_of[rank]] = next++;
    }
    return IndexSet(std::span<const std::uint32_t>(row_of));
  }

  void exchange_across() {
    const schedule::SetId own = program_.set(rows_by_rank());
    down_ = program_.scratch(rows_ * row_);
    std::uint64_t column = 0;
    std::vector<std::pair<Rank, Region>> coming;
    for (Rank step = 1; step < clusters_.count(); ++step) {
      const std::vector<Rank>& there = clusters_.parts[(here_ + step) % clusters_.count()];
      const std::uint64_t width = there.size() * block_;
      Region bundle = slice(Buffer::Scratch, up_ + column, width);
      bundle.outer = Axis{own, row_};
      program_.send(there.front(), bundle, kAcross);
      bundle = slice(Buffer::Scratch, down_ + column, block_);
      bundle.outer = Axis{program_.set(IndexSet::range(0, there.size())), block_};
      bundle.inner = Axis{own, row_};
      coming.emplace_back(there.front(), bundle);
      column += width;
    }
    for (const auto& [master, bundle] : coming) program_.recv(master, bundle, kAcross);
  }

  void exchange_within() {
    direct_alltoall_by_rank(program_, clusters_.participants_of(program_.rank()), block_,
                            kWithinLevel);
  }

  ProgramBuilder& program_;
  Partition clusters_;
  Rank here_;
  std::uint64_t block_;
  TreeLinks links_;  // of the tree of this outermost cluster; its master is the lowest rank
  std::vector<std::vector<Rank>> below_;
  std::uint64_t rows_ = 1;
  std::vector<Rank> remote_;
  Region remote_blocks_;
  std::uint64_t row_ = 0;
  std::uint64_t up_ = 0;  // offsets in scratch
  std::uint64_t down_ = 0;
};

}  // namespace

void multilevel_alltoall(ProgramBuilder& program, const Hierarchy& hierarchy,
                         std::span<const LevelChoice> choices, std::uint64_t block) {
  if (block == 0) return;  // both ends of every message know that it is empty
  MultilevelAlltoall(program, hierarchy, choices, block).run();
}

}  // namespace espalier::collective
