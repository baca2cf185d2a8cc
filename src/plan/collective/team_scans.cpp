#include "collective/team_scans.hpp"

#include <algorithm>

#include "collective/flat_estimate.hpp"
#include "collective/whole_trees.hpp"
#include "cost/predict_tree.hpp"
#include "cost/round_loads.hpp"

namespace espalier::collective {

using cost::Rounds;
using cost::Stream;
using cost::TreePrediction;
using cost::WholeTree;

void TeamScans::up(Teams teams, Shape shape) {
  switch (shape) {
    case Shape::Flat:
      return direct(teams);
    case Shape::Chain:
      return chain(teams);
    case Shape::Binary:
      shift(teams);
      return doubling(teams);
    case Shape::Binomial:
    case Shape::Quadnomial:
    case Shape::Octonomial:
    case Shape::Postal2:
    case Shape::Postal3:
    case Shape::Postal5:
    case Shape::Postal8:
    case Shape::Postal13:
    case Shape::Postal21:
      shift(teams);
      return binomial(teams);
  }
}

void TeamScans::down(Teams teams, Shape shape) {
  cost::TreeEdgeList edges;
  std::vector<Stream> streams(cost_view_.size(), {0, 0, bytes_});
  std::vector<Rank> from_last;
  for (const std::vector<Rank>& participants : teams) {
    from_last.assign(1, participants.back());
    from_last.insert(from_last.end(), participants.begin(), participants.end() - 1);
    add_tree(edges, from_last, shape);
    for (const Rank r : participants) streams[r] = {rounds_.clock(r), rounds_.clock(r), bytes_};
  }
  const WholeTree trees = cost::tree_of_edges(cost_view_.size(), edges);
  const std::vector<double> whole(cost_view_.machine().levels().size(), 0);
  TreePrediction(cost_view_, trees, bytes_, whole).broadcast(streams);
  for (const std::vector<Rank>& participants : teams) {
    for (const Rank r : participants) {
      rounds_.set_clock(
          r, std::max(rounds_.clock(r), streams[r].last) + cost_view_.combine(r, bytes_));
    }
  }
}

/// Of all teams of a level at once.
template <typename Add>
void TeamScans::round(Teams teams, bool combines, Add add) {
  std::vector<Rounds::RoundMessage> messages;
  for (const std::vector<Rank>& participants : teams) add(participants, messages);
  rounds_.exchange(messages, combines, combines);
}

/// Large teams by what each link has to carry: their messages would fill the memory.
void TeamScans::direct(Teams teams) {
  const auto is_large = [](const std::vector<Rank>& team) {
    return team.size() > kCombinedByFlowsUpTo;
  };
  round(teams, true, [&](const std::vector<Rank>& participants, auto& messages) {
    if (is_large(participants)) return;
    for (std::size_t i = 0; i < participants.size(); ++i) {
      for (std::size_t k = i + 1; k < participants.size(); ++k) {
        messages.push_back({participants[i], participants[k], bytes_});
      }
    }
  });
  if (std::none_of(teams.begin(), teams.end(), is_large)) return;
  cost::RoundLoads loads(cost_view_);
  for (const std::vector<Rank>& team : teams) {
    if (is_large(team)) loads.add_scan(team, bytes_);
  }
  rounds_.exchange_by_loads(loads);
}

namespace {

std::size_t largest(TeamScans::Teams teams) {
  std::size_t most = 0;
  for (const auto& participants : teams) most = std::max(most, participants.size());
  return most;
}

}  // namespace

void TeamScans::chain(Teams teams) {
  for (std::size_t p = 0; p + 1 < largest(teams); ++p) {
    round(teams, true, [&](const std::vector<Rank>& participants, auto& messages) {
      if (p + 1 < participants.size())
        messages.push_back({participants[p], participants[p + 1], bytes_});
    });
  }
}

void TeamScans::shift(Teams teams) {
  round(teams, false, [&](const std::vector<Rank>& participants, auto& messages) {
    for (std::size_t p = 0; p + 1 < participants.size(); ++p) {
      messages.push_back({participants[p], participants[p + 1], bytes_});
    }
  });
}

/// Among all but the first.
void TeamScans::doubling(Teams teams) {
  for (std::size_t d = 1; d + 1 < largest(teams); d *= 2) {
    round(teams, true, [&](const std::vector<Rank>& participants, auto& messages) {
      for (std::size_t p = 1; p + d < participants.size(); ++p) {
        messages.push_back({participants[p], participants[p + d], bytes_});
      }
    });
  }
}

void TeamScans::binomial(Teams teams) {
  const std::size_t most = largest(teams) - 1;
  std::size_t half = 1;
  for (; half < most; half *= 2) {
    round(teams, true, [&](const std::vector<Rank>& participants, auto& messages) {
      for (std::size_t p = half; p + half < participants.size(); p += 2 * half) {
        messages.push_back({participants[p], participants[p + half], bytes_});
      }
    });
  }
  for (half /= 2; half > 0; half /= 2) {
    round(teams, true, [&](const std::vector<Rank>& participants, auto& messages) {
      for (std::size_t p = 2 * half; p + half < participants.size(); p += 2 * half) {
        messages.push_back({participants[p], participants[p + half], bytes_});
      }
    });
  }
}

}  // namespace espalier::collective
