#include <algorithm>

#include "collective/allgather.hpp"
#include "collective/binomial_place.hpp"
#include "collective/flat_algorithm.hpp"
#include "collective/gather_scatter.hpp"
#include "collective/messages.hpp"
#include "collective/whole_trees.hpp"
#include "cost/bundles.hpp"
#include "cost/predict_tree.hpp"

namespace espalier::collective {

using schedule::Operation;

void gather_broadcast_allgather(schedule::ProgramBuilder& program, const Participants& participants,
                                const BlockLayout& all) {
  binomial_gather_in_place(program, participants, 0, all);
  const BinomialPlace place = binomial_place(participants.me, participants.size());
  const schedule::Region everything = all.region(program, 0, participants.size());
  if (place.parent != kNoRank)
    recv_unless_empty(program, participants.at(place.parent), everything);
  for (const BinomialPlace::Child& child : place.children) {
    send_unless_empty(program, participants.at(child.position), everything);
  }
}

/// To rank 0 and down again, whole.
constexpr Algorithm kGatherBroadcast =
    flat<any_size, allgather<gather_broadcast_allgather>,
         [](FlatEstimate& at) {
           const cost::WholeTree tree =
               participants_tree(at.call.size, at.everybody, Shape::Binomial);
           const cost::Picos gathered = gather_time(at.cost_view, tree, at.bytes);
           const double all = at.bytes * at.size;
           const std::vector<double> whole(at.cost_view.machine().levels().size(), 0);
           std::vector<cost::Stream> streams(at.call.size, {gathered, gathered, all});
           cost::TreePrediction(at.cost_view, tree, all, whole).broadcast(streams);
           cost::Picos last = gathered;
           for (const cost::Stream& stream : streams) last = std::max(last, stream.last);
           return last;
         },
         [](LeastFlat& at) {
           at.bytes *= at.size;
           return least_down(at, Shape::Binomial, 0);
         }>(Operation::Allgather, "gather-broadcast", kThakur, kMoves);

}  // namespace espalier::collective
