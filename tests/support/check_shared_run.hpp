#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/cost_model.hpp"
#include "tree/multiple_multicast.hpp"

namespace espalier {

/// What is wrong with a plan for several multicasts, or "": looks at nothing but the sends, the
/// costs and who has to be served.
inline std::string complaint_about(const tree::SharedPlan& plan,
                                   std::span<const tree::Participants> multicasts,
                                   const model::CostModel& model, Bytes size) {
  using Interval = std::pair<Time, Time>;
  std::vector<std::map<Rank, Time>> has_it(multicasts.size());
  std::map<Rank, std::vector<Interval>> sending, receiving;

  for (std::size_t m = 0; m < multicasts.size(); ++m) has_it[m][multicasts[m].root] = Time{0};
  for (const tree::SharedSend& s : plan.run.sends) {
    if (!has_it[s.multicast].emplace(s.to, s.delivered).second) return "a rank is served twice";
    const model::MessageCost cost = model.cost(s.from, s.to, size);
    if (s.sender_free != s.start + cost.sender_busy) return "a send is not as long as it costs";
    if (s.delivered < s.start + cost.delivered) return "a message arrives too early";
    sending[s.from].emplace_back(s.start, s.sender_free);
    receiving[s.to].emplace_back(s.delivered - cost.receiver_busy, s.delivered);
    if (plan.trees[s.multicast].parent(s.to) != s.from) return "a send is not in its tree";
  }
  for (const tree::SharedSend& s : plan.run.sends) {
    const auto sender = has_it[s.multicast].find(s.from);
    if (sender == has_it[s.multicast].end()) return "a sender never has the message";
    if (s.start < sender->second) return "a send starts before its sender has the message";
  }
  for (std::size_t m = 0; m < multicasts.size(); ++m) {
    Time last{0};
    if (has_it[m].size() != multicasts[m].count()) return "not as many served as participate";
    for (const Rank r : multicasts[m].others) {
      if (!has_it[m].contains(r)) return "a destination is not served";
      last = std::max(last, has_it[m][r]);
    }
    if (plan.run.finish[m] != last) return "a multicast does not finish with its last delivery";
  }
  for (auto* busy : {&sending, &receiving}) {
    for (auto& [rank, intervals] : *busy) {
      std::sort(intervals.begin(), intervals.end());
      for (std::size_t i = 1; i < intervals.size(); ++i) {
        if (intervals[i].first < intervals[i - 1].second) return "a node does two things at once";
      }
    }
  }
  return "";
}

}  // namespace espalier
