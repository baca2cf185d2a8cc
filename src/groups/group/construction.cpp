#include "group/construction.hpp"

#include <fmt/format.h>

#include "base/contract.hpp"
#include "group/allgather_sort.hpp"
#include "group/along_topology.hpp"
#include "group/centralized.hpp"
#include "group/chains.hpp"
#include "group/colours.hpp"
#include "group/parallel_sort.hpp"
#include "group/rank_and_hash.hpp"
#include "group/shrink_and_balance.hpp"

namespace espalier::group {

const std::vector<Scheme>& all_schemes() {
  static const std::vector<Scheme> kAll{Scheme::Centralized,        Scheme::ShrinkAndBalance,
                                        Scheme::ShrinkByChildren,   Scheme::RankAndHash,
                                        Scheme::RankAndHashColours, Scheme::AlongTopology,
                                        Scheme::AllgatherSort,      Scheme::Chains,
                                        Scheme::ParallelSort};
  return kAll;
}

std::string_view name(Scheme scheme) {
  switch (scheme) {
    case Scheme::Centralized:
      return "centralized";
    case Scheme::ShrinkAndBalance:
      return "shrink-and-balance";
    case Scheme::ShrinkByChildren:
      return "shrink-by-children";
    case Scheme::RankAndHash:
      return "rank-and-hash";
    case Scheme::RankAndHashColours:
      return "rank-and-hash-colours";
    case Scheme::AlongTopology:
      return "along-topology";
    case Scheme::AllgatherSort:
      return "allgather-sort";
    case Scheme::Chains:
      return "chains";
    case Scheme::ParallelSort:
      return "parallel-sort";
  }
  return "";
}

Expected<Scheme> parse_scheme(std::string_view text) {
  std::string known;
  for (const Scheme scheme : all_schemes()) {
    if (name(scheme) == text) return scheme;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name(scheme));
  }
  return Error{"", fmt::format("there is no scheme \"{}\"", text), "known: " + known};
}

bool takes_colours(Scheme scheme) {
  return scheme == Scheme::RankAndHashColours || scheme == Scheme::AllgatherSort ||
         scheme == Scheme::ParallelSort;
}

std::unique_ptr<Construction> make_construction(Scheme scheme, Tag tag, const GroupView& parent,
                                                const ConstructionOptions& options) {
  expects(options.degree > 0 && options.degree < 255, "make_construction: degree from 1 to 254");
  expects(parent.member(), "make_construction: only members of a group split it");
  switch (scheme) {
    case Scheme::Centralized:
      return std::make_unique<Centralized>(tag, parent, options);
    case Scheme::RankAndHash:
      return std::make_unique<RankAndHash>(tag, parent, options);
    case Scheme::RankAndHashColours:
      return std::make_unique<RankAndHashColours>(tag, parent, options);
    case Scheme::AlongTopology:
      return std::make_unique<AlongTopology>(tag, parent, options.path, options);
    case Scheme::ShrinkAndBalance:
      return std::make_unique<ShrinkAndBalance>(tag, parent, options,
                                                ShrinkAndBalance::Fillers::Leaves);
    case Scheme::ShrinkByChildren:
      return std::make_unique<ShrinkAndBalance>(tag, parent, options,
                                                ShrinkAndBalance::Fillers::Children);
    case Scheme::AllgatherSort:
      return std::make_unique<AllgatherSort>(tag, parent, options);
    case Scheme::Chains:
      return std::make_unique<Chains>(tag, parent);
    case Scheme::ParallelSort:
      return std::make_unique<ParallelSort>(tag, parent, options);
  }
  fail_contract("make_construction: no such scheme", SourceLine::current());
}

}  // namespace espalier::group
