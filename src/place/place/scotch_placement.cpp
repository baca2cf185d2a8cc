// F. Pellegrini, J. Roman: "Scotch: a software package for static mapping by dual recursive
// bipartitioning of process and architecture graphs", HPCN 1996; libscotch 7. Ours walks down the
// machine's tree itself, so that trees of any shape and any selection of slots will do, and makes
// each share fit exactly, which libscotch does not promise.
// clang-format off
#include <cstdio>  // before scotch.h, which needs FILE
#include <scotch/scotch.h>
// clang-format on

#include <algorithm>
#include <numeric>

#include "map/mappings.hpp"
#include "map/slot_tree.hpp"
#include "place/portfolio.hpp"

namespace espalier::place {
namespace {

/// Processes and the edges among them, numbered anew.
struct SubGraph {
  std::vector<SCOTCH_Num> first, others, weights;
};

class Mapper {
 public:
  explicit Mapper(const map::Problem& problem)
      : problem_(problem), affinity_(affinities(problem)), local_(problem.size(), -1) {}

  map::Placement run(const std::vector<std::uint32_t>& slots) {
    const map::SlotTree tree = slot_tree(
        problem_, {slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(problem_.size())});
    map::Placement placement(problem_.size());
    std::vector<Rank> all(problem_.size());
    std::iota(all.begin(), all.end(), Rank{0});
    descend(tree, 0, std::move(all), placement);
    return placement;
  }

 private:
  void descend(const map::SlotTree& tree, std::uint32_t node, std::vector<Rank> processes,
               map::Placement& placement) {
    const map::SlotTree::Node& here = tree.nodes[node];
    const bool slots_only =
        std::all_of(here.children.begin(), here.children.end(),
                    [&](std::uint32_t c) { return tree.nodes[c].slots.size() == 1; });
    if (slots_only) {
      for (std::size_t i = 0; i < processes.size(); ++i) placement[processes[i]] = here.slots[i];
      return;
    }
    std::vector<std::uint32_t> shares;
    for (const std::uint32_t c : here.children) {
      shares.push_back(static_cast<std::uint32_t>(tree.nodes[c].slots.size()));
    }
    auto parts = cut(processes, shares);
    for (std::size_t i = 0; i < here.children.size(); ++i) {
      descend(tree, here.children[i], std::move(parts[i]), placement);
    }
  }

  SubGraph graph_of(const std::vector<Rank>& processes) {
    SubGraph graph;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      local_[processes[i]] = static_cast<SCOTCH_Num>(i);
    }
    for (const Rank p : processes) {
      graph.first.push_back(static_cast<SCOTCH_Num>(graph.others.size()));
      for (std::uint32_t e = problem_.first_edge[p]; e < problem_.first_edge[p + 1]; ++e) {
        const SCOTCH_Num other = local_[problem_.edges[e].other];
        if (other < 0) continue;
        graph.others.push_back(other);
        graph.weights.push_back(affinity_[e]);
      }
    }
    graph.first.push_back(static_cast<SCOTCH_Num>(graph.others.size()));
    for (const Rank p : processes) local_[p] = -1;
    return graph;
  }

  std::vector<std::vector<Rank>> cut(const std::vector<Rank>& processes,
                                     const std::vector<std::uint32_t>& shares) {
    const SubGraph graph = graph_of(processes);
    std::vector<SCOTCH_Num> part(processes.size(), 0);
    if (!cut_by_scotch(graph, shares,
                       part)) {  // Scotch failed, for lack of memory say: any cut will do
      std::size_t at = 0;
      for (std::size_t k = 0; k < shares.size(); ++k) {
        for (std::uint32_t i = 0; i < shares[k]; ++i) part[at++] = static_cast<SCOTCH_Num>(k);
      }
    }
    make_exact(graph, shares, part);
    std::vector<std::vector<Rank>> parts(shares.size());
    for (std::size_t i = 0; i < processes.size(); ++i) {
      parts[static_cast<std::size_t>(part[i])].push_back(processes[i]);
    }
    return parts;
  }

  static bool cut_by_scotch(const SubGraph& graph, const std::vector<std::uint32_t>& shares,
                            std::vector<SCOTCH_Num>& part) {
    SCOTCH_Graph g, bound;
    SCOTCH_Context context;
    SCOTCH_Arch arch;
    SCOTCH_Strat strategy;
    const std::vector<SCOTCH_Num> loads(shares.begin(), shares.end());
    // One thread: libscotch 7 starts one a core by itself, and for graphs of this size they do
    // little but wait for each other. A context has random numbers of its own, always from the same
    // seed.
    if (SCOTCH_contextInit(&context) != 0) return false;
    SCOTCH_contextRandomClone(&context);
    SCOTCH_contextRandomSeed(&context, 1);
    SCOTCH_contextRandomReset(&context);
    const bool alone = SCOTCH_contextThreadSpawn(&context, 1, nullptr) == 0;
    SCOTCH_graphInit(&g);
    SCOTCH_graphInit(&bound);
    SCOTCH_archInit(&arch);
    SCOTCH_stratInit(&strategy);
    const bool good =
        alone &&
        SCOTCH_graphBuild(&g, 0, static_cast<SCOTCH_Num>(graph.first.size() - 1),
                          graph.first.data(), nullptr, nullptr, nullptr,
                          static_cast<SCOTCH_Num>(graph.others.size()), graph.others.data(),
                          graph.weights.data()) == 0 &&
        SCOTCH_archCmpltw(&arch, static_cast<SCOTCH_Num>(loads.size()), loads.data()) == 0 &&
        SCOTCH_contextBindGraph(&context, &g, &bound) == 0 &&
        SCOTCH_graphMap(&bound, &arch, &strategy, part.data()) == 0;
    SCOTCH_stratExit(&strategy);
    SCOTCH_archExit(&arch);
    SCOTCH_graphExit(&bound);
    SCOTCH_graphExit(&g);
    SCOTCH_contextExit(&context);
    return good && std::all_of(part.begin(), part.end(), [&](SCOTCH_Num k) {
             return k >= 0 && k < static_cast<SCOTCH_Num>(shares.size());
           });
  }

  /// Moves those that lose least out of shares with too many.
  static void make_exact(const SubGraph& graph, const std::vector<std::uint32_t>& shares,
                         std::vector<SCOTCH_Num>& part) {
    std::vector<std::int64_t> room(shares.begin(), shares.end());
    for (const SCOTCH_Num k : part) --room[static_cast<std::size_t>(k)];
    const auto pull = [&](std::size_t v, SCOTCH_Num k) {
      std::int64_t sum = 0;
      for (SCOTCH_Num e = graph.first[v]; e < graph.first[v + 1]; ++e) {
        const auto at = static_cast<std::size_t>(e);
        if (part[static_cast<std::size_t>(graph.others[at])] == k) sum += graph.weights[at];
      }
      return sum;
    };
    for (std::size_t from = 0; from < room.size(); ++from) {
      while (room[from] < 0) {
        std::size_t best = part.size();
        std::size_t best_to = 0;
        std::int64_t best_gain = INT64_MIN;
        for (std::size_t v = 0; v < part.size(); ++v) {
          if (part[v] != static_cast<SCOTCH_Num>(from)) continue;
          const std::int64_t here = pull(v, static_cast<SCOTCH_Num>(from));
          for (std::size_t to = 0; to < room.size(); ++to) {
            if (room[to] <= 0) continue;
            const std::int64_t gain = pull(v, static_cast<SCOTCH_Num>(to)) - here;
            if (gain > best_gain) best_gain = gain, best = v, best_to = to;
          }
        }
        part[best] = static_cast<SCOTCH_Num>(best_to);
        ++room[from];
        --room[best_to];
      }
    }
  }

  const map::Problem& problem_;
  std::vector<std::int32_t> affinity_;
  std::vector<SCOTCH_Num> local_;
};

}  // namespace

map::Placement scotch_placement(const map::Problem& problem,
                                const std::vector<std::uint32_t>& slots) {
  map::Placement placement = Mapper(problem).run(slots);
  obey_pins(problem, placement);
  return placement;
}

}  // namespace espalier::place
