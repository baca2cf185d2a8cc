#pragma once

#include "collective/multilevel_calls.hpp"
#include "collective/ordered_reduce.hpp"
#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// One rank's part of a call while it is written: what all operations need. For multilevel_*.cpp
/// only; everybody else calls multilevel_program().
class MultilevelCall {
 public:
  MultilevelCall(const Hierarchy& hierarchy, const MultilevelChoice& choice,
                 const schedule::Collective& call, Rank rank)
      : hierarchy_(hierarchy),
        choice_(choice),
        call_(call),
        rank_(rank),
        in_(schedule::slice(schedule::Buffer::In, 0, units_in(call, rank))),
        out_(schedule::slice(schedule::Buffer::Out, 0, units_out(call, rank))),
        program_(rank) {}

  schedule::Program build() &&;

 private:
  [[nodiscard]] Links links(Rank root, std::uint32_t from_level = 0) const {
    return multilevel_links(hierarchy_, choice_.levels, root, rank_, from_level);
  }
  [[nodiscard]] std::vector<Rank> subtree(Rank root, Rank of, std::uint32_t from_level = 0) const {
    return multilevel_subtree(hierarchy_, choice_.levels, root, of, from_level);
  }
  /// The bundle of each child of the tree, in the order in which it is packed.
  [[nodiscard]] std::vector<std::vector<Rank>> bundles(const Links& mine, Rank root,
                                                       std::uint32_t from_level) const;
  /// The masters of the outermost clusters, in the order of the lowest rank they speak for.
  [[nodiscard]] Participants top_masters() const;
  void barrier();

  // multilevel_reductions.cpp
  void reduce_to(Rank root, const schedule::Region& result);
  void allreduce();
  void exchange_in_order(const Links& mine);
  void reduce_scatter();
  RunSlots reduce_to_masters(const Links& mine);
  [[nodiscard]] std::vector<std::vector<RankRun>> runs_of_children(const Links& mine, Rank root,
                                                                   std::uint32_t from_level) const;
  [[nodiscard]] Links finest(Links links) const;

  // multilevel_blocks.cpp
  void gather();
  void scatter();
  void allgather();
  void alltoall();

  const Hierarchy& hierarchy_;
  const MultilevelChoice& choice_;
  const schedule::Collective& call_;
  Rank rank_;
  schedule::Region in_;
  schedule::Region out_;
  schedule::ProgramBuilder program_;
};

}  // namespace espalier::collective
