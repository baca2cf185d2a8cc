#include "collective/striped.hpp"

#include "base/contract.hpp"
#include "collective/allreduce.hpp"
#include "collective/gather_scatter.hpp"
#include "collective/striped_parts.hpp"
#include "collective/stripes.hpp"
#include "collective/tree_links.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Collective;
using schedule::Operation;
using schedule::Program;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

/// The operations on one vector.
class StripedVector {
 public:
  StripedVector(ProgramBuilder& program, const Partition& clusters, const StripedChoice& choice,
                const Collective& call)
      : program_(program),
        clusters_(clusters),
        choice_(choice),
        root_(call.root),
        stripes_(clusters, choice.parts),
        participants_(clusters.participants_of(program.rank())),
        here_(clusters.part_of[program.rank()]),
        in_(slice(Buffer::In, 0, units_in(call, program.rank()))),
        out_(slice(Buffer::Out, 0, units_out(call, program.rank()))) {}

  void broadcast() {
    // Counted from the root on in its cluster, so that it owns the first part.
    const Rank root_cluster = clusters_.part_of[root_];
    const Rank root_position = clusters_.position_of[root_];
    const Participants participants =
        here_ == root_cluster ? rotated(participants_, root_position) : participants_;
    const BlockLayout all = stripes_.layout(out_, participants.size());
    if (here_ == root_cluster) binomial_scatter_in_place(program_, participants, 0, all);
    for_each_own_part(participants.me, [&](Rank i) {
      const Participants owners = stripes_.owners(i, here_, root_cluster, root_position);
      tree_broadcast(program_, participants_links(choice_.tree, rotated(owners, root_cluster)),
                     stripes_.part(out_, i));
    });
    allgather_inside(program_, choice_.inside, participants, all);
  }

  void reduce() {
    const Rank root_cluster = clusters_.part_of[root_];
    const BlockLayout contributions = stripes_.layout(in_, participants_.size());
    const std::uint64_t units = contributions.units(participants_.me);
    const Region partial = slice(Buffer::Scratch, program_.scratch(units), units);
    reduce_scatter_inside(program_, choice_.inside, participants_, contributions, partial);
    // Parts that come together here are laid side by side for the gather.
    const std::uint64_t kept = here_ == root_cluster ? units : 0;
    const Region done = slice(Buffer::Scratch, program_.scratch(kept), kept);
    for_each_own_part(participants_.me, [&](Rank i) {
      Region own = stripes_.part(in_, i);
      if (own.length == 0) return;
      const std::uint64_t shift =
          own.offset - contributions.region(program_, participants_.me).offset;
      own = slice(Buffer::Scratch, partial.offset + shift, own.length);
      Region result;
      if (kept > 0) result = slice(Buffer::Scratch, done.offset + shift, own.length);
      const Participants owners = stripes_.owners(i, here_);
      tree_reduce(program_, participants_links(choice_.tree, rotated(owners, root_cluster)), own,
                  result);
    });
    if (here_ != root_cluster) return;
    const Region whole = slice(Buffer::Out, 0, in_.length);
    binomial_gather(program_, participants_, clusters_.position_of[root_], done,
                    stripes_.layout(whole, participants_.size()));
  }

  void allreduce() {
    const BlockLayout all = stripes_.layout(out_, participants_.size());
    reduce_scatter_inside(program_, choice_.inside, participants_,
                          stripes_.layout(in_, participants_.size()),
                          all.region(program_, participants_.me));
    for_each_own_part(participants_.me, [&](Rank i) {
      const Region part = stripes_.part(out_, i);
      if (part.length > 0) allreduce_across(stripes_.owners(i, here_), part);
    });
    allgather_inside(program_, choice_.inside, participants_, all);
  }

 private:
  template <typename Visit>
  void for_each_own_part(Rank position, Visit visit) {
    const Rank end = stripes_.first_part(position + 1, participants_.size());
    for (Rank i = stripes_.first_part(position, participants_.size()); i < end; ++i) visit(i);
  }

  void allreduce_across(const Participants& owners, const Region& part) {
    switch (choice_.across) {
      case Across::Exchange:
        return direct_exchange(program_, owners, part, choice_.tree.segment);
      case Across::RecursiveDoubling:
        return recursive_doubling_allreduce(program_, owners, part);
      case Across::Halving:
        return rabenseifner_allreduce(program_, owners, part);
      case Across::Ring:
        return ring_allreduce(program_, owners, part);
      case Across::Direct:
        return direct_allreduce(program_, owners, part, part);
    }
  }

  ProgramBuilder& program_;
  const Partition& clusters_;
  StripedChoice choice_;
  Rank root_;
  Stripes stripes_;
  Participants participants_;
  Rank here_;
  Region in_;
  Region out_;
};

bool keeps_rank_order(const StripedChoice& choice) {
  return choice.inside == Inside::Halving && choice.across != Across::Ring;
}

}  // namespace

bool striped_supports(const Hierarchy& hierarchy, const StripedChoice& choice,
                      const Collective& call) {
  const auto in_order = [&] {
    return call.commutative ||
           (keeps_rank_order(choice) && outermost_clusters(hierarchy.machine()).in_runs());
  };
  switch (call.operation) {
    case Operation::Broadcast:
      return !call.irregular();
    case Operation::Reduce:
      return !call.irregular() && call.commutative;
    case Operation::Allreduce:
      return !call.irregular() && in_order();
    case Operation::Allgather:
      return true;
    case Operation::ReduceScatter:
      return in_order();
    default:
      return false;
  }
}

Program striped_program(const Hierarchy& hierarchy, const StripedChoice& choice,
                        const Collective& call, Rank rank) {
  expects(call.size == hierarchy.machine().size(),
          "striped_program: call and machine differ in size");
  expects(striped_supports(hierarchy, choice, call), "striped_program: not for this call");
  const bool by_number = !call.commutative && (call.operation == Operation::Allreduce ||
                                               call.operation == Operation::ReduceScatter);
  const Partition clusters =
      outermost_clusters(hierarchy.machine(), by_number ? RankOrder::Rising : RankOrder::AlongTree);
  ProgramBuilder program(rank);
  switch (call.operation) {
    case Operation::Broadcast:
      StripedVector(program, clusters, choice, call).broadcast();
      break;
    case Operation::Reduce:
      StripedVector(program, clusters, choice, call).reduce();
      break;
    case Operation::Allreduce:
      StripedVector(program, clusters, choice, call).allreduce();
      break;
    case Operation::Allgather:
      striped_allgather(program, clusters, choice.inside, call.block());
      break;
    default:
      striped_reduce_scatter(program, clusters, choice.inside, call.block());
  }
  return std::move(program).build();
}

}  // namespace espalier::collective
