#pragma once

#include "collective/block_layout.hpp"
#include "collective/partition.hpp"

namespace espalier::collective {

/// A vector in parts that all clusters share out alike, so that part i of one cluster meets part i
/// of the others and many links carry the vector across, each a part.
///
/// Part i belongs to position i * size / parts of a cluster: to ranks that lie apart where there
/// are more ranks than parts; in smaller clusters a rank has several, side by side.
class Stripes {
 public:
  /// @param parts 0: as many as the smallest cluster has ranks
  Stripes(const Partition& clusters, Rank parts)
      : clusters_(&clusters), parts_(parts == 0 ? clusters.smallest() : parts) {}

  [[nodiscard]] Rank parts() const { return parts_; }
  [[nodiscard]] static Rank owner(Rank part, Rank parts, Rank size) {
    return static_cast<Rank>(std::uint64_t{part} * size / parts);
  }
  /// The parts of a position of a cluster of that size: [first, end).
  [[nodiscard]] Rank first_part(Rank position, Rank size) const {
    return static_cast<Rank>((std::uint64_t{position} * parts_ + size - 1) / size);
  }
  /// Part i of a plain slice; parts differ by about 1/64 at most.
  [[nodiscard]] schedule::Region part(const schedule::Region& vector, Rank i) const;
  /// For each position in a cluster of that size, its parts as one slice.
  [[nodiscard]] BlockLayout layout(const schedule::Region& vector, Rank size) const;
  /// The owners of part i, cluster by cluster, seen from this cluster's. @param turned the cluster
  /// whose ranks are counted from `from` on, or kNoRank
  [[nodiscard]] Participants owners(Rank i, Rank here, Rank turned = kNoRank, Rank from = 0) const;

 private:
  /// Where part i of that many units begins.
  [[nodiscard]] std::uint64_t begin(std::uint64_t length, Rank i) const;

  const Partition* clusters_;
  Rank parts_;
};

}  // namespace espalier::collective
