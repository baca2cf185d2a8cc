#pragma once

#include <functional>

#include "support/schedules/exchanges.hpp"
#include "support/schedules/reductions.hpp"
#include "support/schedules/rooted.hpp"

namespace espalier::test_schedules {

using Maker = std::function<Schedule(Rank p, Rank root, std::uint64_t count)>;

/// Correct schedules of every operation, regular and irregular, commutative and not.
inline const std::vector<Maker>& all_makers() {
  using O = Operation;
  static const std::vector<Maker> kAll = [] {
    std::vector<Maker> makers;
    const auto add = [&](O operation, bool commutative, bool regular, auto make) {
      makers.emplace_back([=](Rank p, Rank root, std::uint64_t count) {
        const Collective call = call_of(operation, p, root, count, commutative);
        return make(regular ? call : irregular(call));
      });
    };
    add(O::Broadcast, true, true, broadcast_flat);
    add(O::Broadcast, true, true, [](const Collective& c) { return broadcast_chain(c, 3); });
    add(O::Broadcast, true, true, broadcast_binomial);
    add(O::Reduce, true, true, [](const Collective& c) { return reduce_chain(c, 5); });
    add(O::Reduce, false, true, [](Collective c) {
      c.root = c.size - 1;  // so that the ring begins at rank 0
      return reduce_chain(c, 3);
    });
    add(O::Allreduce, true, true, allreduce_ring);
    add(O::Barrier, true, true, barrier_dissemination);
    add(O::Barrier, true, true, barrier_central);
    add(O::Barrier, true, true, barrier_tree);
    for (const bool commutative : {true, false}) {
      add(O::Reduce, commutative, true, reduce_flat);
      add(O::Reduce, commutative, true, reduce_binomial);
      add(O::Allreduce, commutative, true, allreduce_recursive_doubling);
      add(O::Allreduce, commutative, true, allreduce_chain);
      for (const O o : {O::Scan, O::Exscan}) {
        add(o, commutative, true, scan_chain);
        add(o, commutative, true, scan_doubling);
      }
    }
    for (const bool regular : {true, false}) {
      add(O::ReduceScatter, true, regular, reduce_scatter_ring);
      add(O::ReduceScatter, true, regular, reduce_scatter_direct);
      add(O::ReduceScatter, false, regular, reduce_scatter_direct);
      add(O::Gather, true, regular, gather_flat);
      add(O::Gather, true, regular, gather_binomial);
      add(O::Scatter, true, regular, scatter_flat);
      add(O::Scatter, true, regular, scatter_binomial);
      add(O::Allgather, true, regular, allgather_ring);
      add(O::Allgather, true, regular, allgather_direct);
      add(O::Allgather, true, regular, allgather_bruck);
      add(O::Alltoall, true, regular, alltoall_pairwise);
      add(O::Alltoall, true, regular, alltoall_direct);
      add(O::Alltoall, true, regular, alltoall_bruck);
      add(O::Alltoall, true, regular, alltoall_by_masters);
    }
    return makers;
  }();
  return kAll;
}

/// "alltoall-v bruck, P=5, root=2, count=3"
inline std::string title(const Schedule& s) {
  return std::string(schedule::name_of(s.call.operation)) + (s.call.irregular() ? "-v " : " ") +
         s.algorithm + (s.call.commutative ? "" : " ordered") +
         ", P=" + std::to_string(s.call.size) + ", root=" + std::to_string(s.call.root) +
         ", count=" + std::to_string(s.call.count);
}

}  // namespace espalier::test_schedules
