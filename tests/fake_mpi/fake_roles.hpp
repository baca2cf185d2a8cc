#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fake_mpi/fake_calls.hpp"
#include "mpi/block_buffers.hpp"
#include "runtime/role_header.hpp"

namespace espalier::fake {

/// A tree that only its root knows: any one among these ranks, the root first. Blocks have so many
/// 64-bit numbers, by rank.
[[nodiscard]] std::vector<runtime::RoleEntry> random_tree(Rank root, std::vector<Rank> others,
                                                          const std::vector<std::uint64_t>& numbers,
                                                          Random& rng);

/// A scatterv along such a tree. Ranks without data are in no tree, and do nothing.
class FakeScatterv : public AnyCall {
 public:
  /// @param numbers of each rank's block
  FakeScatterv(Rank root, std::vector<std::uint64_t> numbers, Random& rng);

  [[nodiscard]] std::unique_ptr<RankRun> begin(mpi::Channel& channel) override;
  [[nodiscard]] std::string wrong(Rank rank) const override;
  [[nodiscard]] std::uint64_t longest_message() const override;
  [[nodiscard]] std::string name() const override { return "scatterv by counts"; }

 private:
  using Numbers = std::vector<std::int64_t>;
  std::vector<runtime::RoleEntry> tree_;
  std::vector<Numbers> in_, out_;
  std::vector<mpi::BlockBuffers> buffers_;
};

/// A gather whose root announces a tree, under the number behind the gather's: what it tells leaves
/// before the gather, and the others hear it after the gather (mpi::CountedTrees).
class AnnouncedGather : public AnyCall {
 public:
  /// @param gather a call with a root
  AnnouncedGather(FakeCall gather, Random& rng);

  [[nodiscard]] std::unique_ptr<RankRun> begin(mpi::Channel& channel) override;
  [[nodiscard]] std::string wrong(Rank rank) const override;
  [[nodiscard]] std::uint64_t longest_message() const override;
  [[nodiscard]] std::string name() const override { return "announced " + gather_.name(); }
  [[nodiscard]] std::uint64_t numbers() const override { return 2; }

 private:
  struct Heard {
    Rank by = kNoRank;
    std::vector<runtime::RoleEntry> roles;
  };
  class Run;

  FakeCall gather_;
  std::vector<runtime::RoleEntry> tree_;
  std::vector<Heard> heard_;  // of each rank, once it is done
};

/// A scatterv with random lengths, some of them none. A few are long: their data follow the head.
/// @param longest numbers of those; 0: there are none
[[nodiscard]] FakeScatterv random_scatterv(Rank size, Random& rng, std::uint64_t most,
                                           std::uint64_t longest);
/// A gather along some plan, with an announcement.
[[nodiscard]] AnnouncedGather random_announced(const collective::Hierarchy& hierarchy, Random& rng,
                                               std::uint64_t most_elements);

}  // namespace espalier::fake
