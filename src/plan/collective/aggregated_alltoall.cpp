#include "collective/aggregated_alltoall.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "base/contract.hpp"
#include "collective/alltoall.hpp"
#include "collective/block_layout.hpp"
#include "collective/messages.hpp"

namespace espalier::collective {

using schedule::Axis;
using schedule::Buffer;
using schedule::IndexSet;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

// Two ranks of one cluster may have one message of each kind; two of different clusters have those
// of the stripes between them.
constexpr std::uint32_t kWithin = 0;
constexpr std::uint32_t kGather = 1;
constexpr std::uint32_t kScatter = 2;

/// Rows of scratch, one for each of some ranks. By rank rather than by position where that leaves
/// few of them unused: then the messages of all these ranks are one family.
class Rows {
 public:
  Rows() = default;
  Rows(ProgramBuilder& program, std::span<const Rank> ranks, std::uint64_t row)
      : ranks_(ranks), row_(row) {
    const std::uint64_t end = std::uint64_t{*std::max_element(ranks.begin(), ranks.end())} + 1;
    by_rank_ = end <= 4 * ranks.size();
    base_ = program.scratch((by_rank_ ? end : ranks.size()) * row);
  }
  [[nodiscard]] Region row(std::size_t position) const {
    return slice(Buffer::Scratch, base_ + (by_rank_ ? ranks_[position] : position) * row_, row_);
  }
  /// Over all rows, from base() on.
  [[nodiscard]] Axis axis(ProgramBuilder& program) const {
    return {program.set(by_rank_ ? IndexSet(ranks_) : IndexSet::range(0, ranks_.size())), row_};
  }
  [[nodiscard]] std::uint64_t base() const { return base_; }

 private:
  std::span<const Rank> ranks_;
  std::uint64_t row_ = 0;
  std::uint64_t base_ = 0;
  bool by_rank_ = false;
};

/// What the ranks of a cluster have for those targets of another one; or the same, coming in.
struct Bundle {
  Rank other = 0;
  Rank stripe = 0;
};

class AggregatedAlltoall {
 public:
  AggregatedAlltoall(ProgramBuilder& program, const Partition& clusters, const Carriers& carriers,
                     std::uint64_t block)
      : program_(program),
        clusters_(clusters),
        carriers_(carriers),
        block_(block),
        participants_(clusters.participants_of(program.rank())),
        here_(clusters.part_of[program.rank()]) {}

  void run() {
    gather();
    exchange_within();
    send_across();
    receive_across();
    receive_scattered();
  }

 private:
  /// The targets of a stripe: as even a share of the cluster's ranks as there is.
  [[nodiscard]] std::span<const Rank> targets(Rank cluster, Rank stripe) const {
    const std::uint64_t size = clusters_.size_of(cluster);
    const std::uint64_t count = stripes_to(cluster);
    const std::uint64_t first = stripe * size / count;
    return std::span(clusters_.parts[cluster]).subspan(first, (stripe + 1) * size / count - first);
  }
  [[nodiscard]] Rank stripes_to(Rank cluster) const {
    return std::min(carriers_.stripes, clusters_.size_of(cluster));
  }
  /// Who in `cluster` carries a stripe to or from another one: all in turn.
  [[nodiscard]] Rank carrier(Rank cluster, Rank other, Rank stripe) const {
    const std::uint64_t turn = other < cluster ? other : other - 1;
    const std::uint64_t leaders = std::min(carriers_.leaders, clusters_.size_of(cluster));
    return clusters_.parts[cluster][(turn * carriers_.stripes + stripe) % leaders];
  }
  [[nodiscard]] Region blocks(Buffer buffer, std::span<const Rank> ranks) {
    const auto size = static_cast<Rank>(clusters_.part_of.size());
    return BlockLayout::uniform(buffer, 0, size, block_).region(program_, IndexSet(ranks));
  }
  [[nodiscard]] bool is_me(Rank rank) const { return rank == program_.rank(); }

  /// By carrier: the bundles that leave this cluster, beginning with the next cluster, so that not
  /// all begin with the same.
  [[nodiscard]] std::map<Rank, std::vector<Bundle>> leaving() const {
    std::map<Rank, std::vector<Bundle>> found;
    for (Rank step = 1; step < clusters_.count(); ++step) {
      const Rank other = (here_ + step) % clusters_.count();
      for (Rank s = 0; s < stripes_to(other); ++s) {
        found[carrier(here_, other, s)].push_back({other, s});
      }
    }
    return found;
  }
  /// By carrier: the clusters whose stripe `stripe` comes in there.
  [[nodiscard]] std::map<Rank, std::vector<Rank>> coming(Rank stripe) const {
    std::map<Rank, std::vector<Rank>> found;
    for (Rank other = 0; other < clusters_.count(); ++other) {
      if (other != here_) found[carrier(here_, other, stripe)].push_back(other);
    }
    return found;
  }
  [[nodiscard]] std::vector<Rank> ranks_of(std::span<const Rank> clusters) const {
    std::vector<Rank> ranks;
    for (const Rank c : clusters) {
      ranks.insert(ranks.end(), clusters_.parts[c].begin(), clusters_.parts[c].end());
    }
    return ranks;
  }

  /// To each carrier all that it carries of ours, one message. It keeps one row a rank.
  void gather() {
    for (const auto& [carrier, bundles] : leaving()) {
      std::vector<Rank> all;
      for (const Bundle& bundle : bundles) {
        const auto some = targets(bundle.other, bundle.stripe);
        all.insert(all.end(), some.begin(), some.end());
      }
      if (!is_me(carrier)) {
        program_.send(carrier, blocks(Buffer::In, all), kGather);
        continue;
      }
      carried_ = bundles;
      if (participants_.size() > 1) receive_rows(blocks(Buffer::In, all), all.size() * block_);
    }
  }
  void receive_rows(const Region& own, std::uint64_t row) {
    rows_ = Rows(program_, participants_.ranks, row);
    std::vector<PeerRegion> messages;
    for (Rank p = 0; p < participants_.size(); ++p) {
      if (p == participants_.me) {
        program_.copy(own, rows_.row(p));
      } else {
        messages.push_back({participants_[p], rows_.row(p)});
      }
    }
    recv_families(program_, messages, kGather);
  }

  void exchange_within() { direct_alltoall_by_rank(program_, participants_, block_, kWithin); }

  /// A bundle is some columns of all rows; one rank alone has them in In.
  void send_across() {
    std::uint64_t column = 0;
    for (const Bundle& bundle : carried_) {
      const auto some = targets(bundle.other, bundle.stripe);
      const std::uint64_t width = some.size() * block_;
      Region region = blocks(Buffer::In, some);
      if (participants_.size() > 1) {
        region = slice(Buffer::Scratch, rows_.base() + column, width);
        region.outer = rows_.axis(program_);
      }
      program_.send(carrier(bundle.other, here_, bundle.stripe), region, bundle.stripe);
      column += width;
    }
  }

  void receive_across() {
    for (Rank s = 0; s < stripes_to(here_); ++s) {
      const auto carriers = coming(s);
      const auto mine = carriers.find(program_.rank());
      if (mine != carriers.end()) receive_stripe(s, mine->second);
    }
  }
  /// Turned over on the way in: one row a target, so that it leaves as one slice.
  void receive_stripe(Rank stripe, const std::vector<Rank>& others) {
    const auto to = targets(here_, stripe);
    if (to.size() == 1 && is_me(to.front())) {  // nothing to pass on
      for (const Rank other : others) {
        program_.recv(carrier(other, here_, stripe), blocks(Buffer::Out, clusters_.parts[other]),
                      stripe);
      }
      return;
    }
    const std::vector<Rank> sources = ranks_of(others);
    const Rows rows(program_, to, sources.size() * block_);
    std::uint64_t column = 0;
    for (const Rank other : others) {
      const Rank width = clusters_.size_of(other);
      Region region = slice(Buffer::Scratch, rows.base() + column, block_);
      region.outer = Axis{program_.set(IndexSet::range(0, width)), block_};
      region.inner = rows.axis(program_);
      program_.recv(carrier(other, here_, stripe), region, stripe);
      column += width * block_;
    }
    std::vector<PeerRegion> messages;
    for (std::size_t t = 0; t < to.size(); ++t) {
      if (is_me(to[t])) {
        program_.copy(rows.row(t), blocks(Buffer::Out, sources));
      } else {
        messages.push_back({to[t], rows.row(t)});
      }
    }
    send_families(program_, messages, kScatter);
  }

  void receive_scattered() {
    for (Rank s = 0; s < stripes_to(here_); ++s) {
      const auto to = targets(here_, s);
      if (std::find(to.begin(), to.end(), program_.rank()) == to.end()) continue;
      for (const auto& [carrier, others] : coming(s)) {
        if (is_me(carrier)) continue;
        program_.recv(carrier, blocks(Buffer::Out, ranks_of(others)), kScatter);
      }
    }
  }

  ProgramBuilder& program_;
  const Partition& clusters_;
  Carriers carriers_;
  std::uint64_t block_;
  Participants participants_;
  Rank here_;
  std::vector<Bundle> carried_;  // by this rank
  Rows rows_;                    // of what it carries, one a rank of the cluster
};

}  // namespace

void aggregated_alltoall(ProgramBuilder& program, const Partition& clusters,
                         const Carriers& carriers, std::uint64_t block) {
  expects(carriers.leaders > 0 && carriers.stripes > 0, "aggregated_alltoall: nobody carries");
  if (block == 0) return;  // both ends of every message know that it is empty
  AggregatedAlltoall(program, clusters, carriers, block).run();
}

}  // namespace espalier::collective
