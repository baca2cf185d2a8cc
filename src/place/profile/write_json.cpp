#include <fmt/format.h>

#include "base/json.hpp"
#include "profile/json.hpp"

namespace espalier::profile {
namespace {

void write_actions(const std::vector<Action>& actions, std::size_t begin, std::size_t end,
                   std::string& out) {
  for (std::size_t i = begin; i < end; ++i) {
    const Action& action = actions[i];
    if (i != begin) out += ",";
    switch (action.kind) {
      case ActionKind::Compute:
        out += fmt::format("[\"compute\",{}]", action.takes.picoseconds);
        break;
      case ActionKind::Send:
        out += fmt::format("[\"send\",{},{}]", action.peer, action.bytes);
        break;
      case ActionKind::Recv:
        out += fmt::format("[\"recv\",{},{}]", action.peer, action.bytes);
        break;
      case ActionKind::Post:
        out += fmt::format("[\"post\",{},{}]", action.peer, action.bytes);
        break;
      case ActionKind::Sent:
        out += fmt::format("[\"sent\",{},{}]", action.peer, action.bytes);
        break;
      case ActionKind::Collective:
        out += fmt::format("[\"{}\",{},{},{}]", name_of(action.operation), action.bytes,
                           action.peer, action.communicator);
        break;
      case ActionKind::Loop:
        out += fmt::format("[\"loop\",{},[", action.times);
        write_actions(actions, i + 1, i + 1 + action.body, out);
        out += "]]";
        i += action.body;
        break;
    }
  }
}

void write_pairs(std::string_view key, const std::vector<Pair>& pairs, std::string& out) {
  out += fmt::format("  \"{}\": [", key);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    out += fmt::format("{}\n    [{},{},{},{}]", i == 0 ? "" : ",", pairs[i].from, pairs[i].to,
                       pairs[i].messages, pairs[i].bytes);
  }
  out += pairs.empty() ? "],\n" : "\n  ],\n";
}

}  // namespace

std::string write_json(const Profile& profile) {
  std::string out =
      fmt::format("{{\n  \"format\": \"{}\",\n  \"name\": {},\n  \"processes\": {},\n",
                  kProfileFormat, Json(profile.name).dump(), profile.size());
  out += "  \"communicators\": [";
  for (std::size_t i = 1; i < profile.communicators.size(); ++i) {
    out += fmt::format("{}\n    [{}]", i == 1 ? "" : ",", fmt::join(profile.communicators[i], ","));
  }
  out += profile.communicators.size() > 1 ? "\n  ],\n" : "],\n";
  write_pairs("pairs", profile.pairs, out);
  if (!profile.is_executed_left_out) write_pairs("executed", profile.executed, out);
  out += "  \"trace\": [";
  for (Rank rank = 0; rank < profile.size(); ++rank) {
    const Process& process = profile.processes[rank];
    out += fmt::format(
        "{}\n    "
        "{{\"rank\":{},\"ran_ps\":{},\"in_mpi_ps\":{},\"in_collectives_ps\":{},\"actions\":[",
        rank == 0 ? "" : ",", rank, process.ran.picoseconds, process.in_mpi.picoseconds,
        process.in_collectives.picoseconds);
    write_actions(process.actions, 0, process.actions.size(), out);
    out += "]}";
  }
  return out + "\n  ]\n}\n";
}

}  // namespace espalier::profile
