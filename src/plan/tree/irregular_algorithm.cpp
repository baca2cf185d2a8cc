#include "tree/irregular_algorithm.hpp"

#include <algorithm>
#include <array>

#include "tree/irregular_trees.hpp"
#include "tree/shapes.hpp"

namespace espalier::tree {
namespace {

using topology::Machine;

constexpr std::string_view kDichev = "Dichev, Rychkov, Lastovetsky, EuroMPI 2010";
constexpr std::string_view kKaronis = "Karonis et al., IPDPS 2000; for unequal blocks ours";
constexpr Rank kQuickOptimum = 40;

template <Rank carriers, bool trees_inside>
CommTree clustered_of(const IrregularRequest& request, const Machine& machine) {
  return clustered(request, machine, {carriers, trees_inside});
}

constexpr std::array kIrregularAlgorithms{
    IrregularAlgorithm{
        "linear", "linear, by rank", "Pjesivac-Grbovic et al., Cluster Computing 2007",
        [](const IrregularRequest& r, const Machine&) { return flat(r.who); }, kNoRank, false},
    IrregularAlgorithm{"farthest-first", "linear, the longest tail first", "Jackson 1955; ours",
                       [](const IrregularRequest& r, const Machine&) { return farthest_first(r); }},
    IrregularAlgorithm{
        "binomial", "binomial tree, by rank", "Thakur, Rabenseifner, Gropp, IJHPCA 2005",
        [](const IrregularRequest& r, const Machine&) { return binomial(r.who); }, kNoRank, false},
    IrregularAlgorithm{"minimum-first", "model-based binomial tree, minimum-first", kDichev,
                       [](const IrregularRequest& r, const Machine&) {
                         return model_binomial(r, Mapping::MinimumFirst);
                       }},
    IrregularAlgorithm{"maximum-first", "model-based binomial tree, maximum-first", kDichev,
                       [](const IrregularRequest& r, const Machine&) {
                         return model_binomial(r, Mapping::MaximumFirst);
                       }},
    IrregularAlgorithm{"traeff", "Traeff's tree, by lengths", "Traeff, IPDPS 2004",
                       [](const IrregularRequest& r, const Machine&) { return traeff(r); }, kNoRank,
                       false},
    IrregularAlgorithm{"model-traeff", "model-based Traeff tree", kDichev,
                       [](const IrregularRequest& r, const Machine&) { return model_traeff(r); }},
    IrregularAlgorithm{"traeff-distributed", "Traeff's fully distributed tree",
                       "Traeff, EuroMPI 2017",
                       [](const IrregularRequest& r, const Machine&) {
                         return traeff_distributed(r.bytes, r.who.root);
                       },
                       kNoRank, false},
    IrregularAlgorithm{
        "ordered-optimum", "optimum of ordered trees, one port", "Traeff, TPDS 2019",
        [](const IrregularRequest& r, const Machine&) { return ordered_optimum(r).tree; },
        kQuickOptimum},
    IrregularAlgorithm{"clustered-1", "multilevel, one message a cluster", kKaronis,
                       clustered_of<1, false>},
    IrregularAlgorithm{"clustered-2", "multilevel, 2 carriers a cluster", kKaronis,
                       clustered_of<2, false>},
    IrregularAlgorithm{"clustered-4", "multilevel, 4 carriers a cluster", kKaronis,
                       clustered_of<4, false>},
    IrregularAlgorithm{"clustered-8", "multilevel, 8 carriers a cluster", kKaronis,
                       clustered_of<8, false>},
    IrregularAlgorithm{"clustered-traeff-1", "multilevel, trees inside", kKaronis,
                       clustered_of<1, true>},
    IrregularAlgorithm{"clustered-traeff-4", "multilevel, 4 carriers a cluster, trees inside",
                       kKaronis, clustered_of<4, true>},
};

}  // namespace

std::span<const IrregularAlgorithm> irregular_algorithms() { return kIrregularAlgorithms; }

const IrregularAlgorithm* find_irregular_algorithm(std::string_view name) {
  const auto it = std::find_if(kIrregularAlgorithms.begin(), kIrregularAlgorithms.end(),
                               [&](const IrregularAlgorithm& a) { return a.name == name; });
  return it == kIrregularAlgorithms.end() ? nullptr : &*it;
}

}  // namespace espalier::tree
