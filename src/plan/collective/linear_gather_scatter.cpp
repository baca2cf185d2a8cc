#include "collective/flat_algorithm.hpp"
#include "collective/gather_scatter.hpp"
#include "collective/messages.hpp"
#include "cost/bundles.hpp"

namespace espalier::collective {

using schedule::Operation;

void linear_gather(schedule::ProgramBuilder& program, const Participants& participants, Rank root,
                   const schedule::Region& own, const BlockLayout& all, std::uint32_t tag) {
  if (participants.me != root) {
    if (own.length > 0) program.send(participants.at(root), own, tag);
    return;
  }
  std::vector<PeerRegion> messages;
  for (Rank p = 0; p < participants.size(); ++p) {
    if (p != root) messages.push_back({participants.at(p), all.region(program, p)});
  }
  recv_families(program, messages, tag);
  copy_unless_empty(program, own, all.region(program, root));
}

void linear_scatter(schedule::ProgramBuilder& program, const Participants& participants, Rank root,
                    const BlockLayout& all, const schedule::Region& own, std::uint32_t tag) {
  if (participants.me != root) {
    if (own.length > 0) program.recv(participants.at(root), own, tag);
    return;
  }
  std::vector<PeerRegion> messages;
  for (Rank p = 0; p < participants.size(); ++p) {
    if (p != root) messages.push_back({participants.at(p), all.region(program, p)});
  }
  send_families(program, messages, tag);
  copy_unless_empty(program, all.region(program, root), own);
}

constexpr Algorithm kLinearGather =
    flat<any_size,
         [](schedule::ProgramBuilder& program, const FlatCall& call) {
           linear_gather(program, call.participants, call.root, call.in(), call.out_blocks(), 0);
         },
         [](FlatEstimate& at) { return gather_time(at.cost_view, at.tree(Shape::Flat), at.bytes); },
         [](LeastFlat& at) { return least_up(at, Shape::Flat, 0, false); }>(
        Operation::Gather, "linear", kPjesivac, kDirect);

constexpr Algorithm kLinearScatter =
    flat<any_size,
         [](schedule::ProgramBuilder& program, const FlatCall& call) {
           linear_scatter(program, call.participants, call.root, call.in_blocks(), call.out(), 0);
         },
         [](FlatEstimate& at) {
           return scatter_time(at.cost_view, at.tree(Shape::Flat), at.bytes);
         },
         [](LeastFlat& at) { return least_down(at, Shape::Flat, 0); }>(Operation::Scatter, "linear",
                                                                       kPjesivac, kDirect);

}  // namespace espalier::collective
