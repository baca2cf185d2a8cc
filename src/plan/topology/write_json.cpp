#include <algorithm>
#include <optional>

#include "base/json.hpp"
#include "base/units.hpp"
#include "topology/hostlist.hpp"
#include "topology/writers.hpp"

namespace espalier::topology {
namespace {

Json cost_json(const Cost& cost) {
  if (cost.rate.unlimited()) return to_string(cost.fixed);
  return {{"fixed", to_string(cost.fixed)}, {"rate", to_string(cost.rate)}};
}

Json uplink_json(const Uplink& uplink) {
  const bool same = uplink.out == uplink.in;
  if (same && !uplink.half_duplex && uplink.latency == Time{0}) return to_string(uplink.out);
  Json json = Json::object();
  if (same) {
    json["bandwidth"] = to_string(uplink.out);
  } else {
    json["out"] = to_string(uplink.out);
    json["in"] = to_string(uplink.in);
  }
  if (uplink.half_duplex) json["duplex"] = "half";
  if (uplink.latency != Time{0}) json["latency"] = to_string(uplink.latency);
  return json;
}

/// Only what differs from `usual`.
Json channel_json(const Channel& channel, const Channel& usual) {
  Json json = Json::object();
  if (channel.latency != usual.latency) json["latency"] = to_string(channel.latency);
  if (channel.backbone != usual.backbone) json["backbone"] = to_string(channel.backbone);
  if (channel.flow_cap != usual.flow_cap) json["flow_cap"] = to_string(channel.flow_cap);
  return json;
}

void put_costs(Json& json, const NodeCosts& costs, const NodeCosts& inherited) {
  if (costs.send != inherited.send) json["send"] = cost_json(costs.send);
  if (costs.recv != inherited.recv) json["recv"] = cost_json(costs.recv);
  if (costs.reduce != inherited.reduce) json["reduce"] = to_string(costs.reduce);
  if (costs.speed_millionths != inherited.speed_millionths) {
    json["speed"] = millionths_to_string(costs.speed_millionths);
  }
}

class Writer {
 public:
  explicit Writer(const Machine& machine) : machine_(machine) { find_usual_figures(); }

  Json write(std::span<const std::string> notes) const {
    Json json = {{"format", "espalier-machine-1"}};
    if (!machine_.name().empty()) json["name"] = machine_.name();
    if (!notes.empty()) json["notes"] = std::vector<std::string>(notes.begin(), notes.end());
    json["levels"] = levels();
    put_cluster(json, machine_.clusters()[0], NodeCosts{});
    put_placement(json);
    return json;
  }

 private:
  /// What a level says for all its members: the figures of the first.
  struct Usual {
    std::optional<Channel> channel;
    std::optional<Uplink> uplink;
  };

  void find_usual_figures() {
    usual_.resize(machine_.levels().size());
    for (const Cluster& cluster : machine_.clusters()) {
      if (!usual_[cluster.depth].channel) usual_[cluster.depth].channel = cluster.channel;
      for (const Member& member : machine_.members(cluster)) {
        if (!usual_[cluster.depth].uplink) usual_[cluster.depth].uplink = uplink_of(member);
      }
    }
  }
  [[nodiscard]] const Uplink& uplink_of(const Member& member) const {
    return member.is_leaf ? machine_.leaf_uplink(member.id) : machine_.clusters()[member.id].uplink;
  }

  [[nodiscard]] Json levels() const {
    Json json = Json::array();
    for (std::size_t l = 0; l < usual_.size(); ++l) {
      Json level = Json::object();
      const LevelName& name = machine_.levels()[l];
      if (!name.channel.empty()) level["name"] = name.channel;
      if (!name.members.empty()) level["members"] = name.members;
      level.update(channel_json(*usual_[l].channel, Channel{}));
      if (*usual_[l].uplink != Uplink{}) level["uplink"] = uplink_json(*usual_[l].uplink);
      json.push_back(std::move(level));
    }
    return json;
  }

  /// The costs that all processes below have in common, else those of the cluster above.
  [[nodiscard]] NodeCosts common_costs(const Cluster& cluster, const NodeCosts& inherited) const {
    const NodeCosts& first = machine_.leaf_costs(cluster.first_leaf);
    for (Leaf leaf = cluster.first_leaf; leaf < cluster.first_leaf + cluster.leaf_count; ++leaf) {
      if (machine_.leaf_costs(leaf) != first) return inherited;
    }
    return first;
  }

  void put_cluster(Json& json, const Cluster& cluster, const NodeCosts& inherited) const {
    Json channel = channel_json(cluster.channel, *usual_[cluster.depth].channel);
    if (!channel.empty()) json["channel"] = std::move(channel);
    const NodeCosts costs = common_costs(cluster, inherited);
    put_costs(json, costs, inherited);
    put_members(json, cluster, costs);
    for (const PairLink& pair : machine_.pairs(cluster)) {
      Json item = {{"between", {pair.a, pair.b}}, {"latency", to_string(pair.latency)}};
      if (!pair.capacity.unlimited()) item["capacity"] = to_string(pair.capacity);
      json["pairs"].push_back(std::move(item));
    }
  }

  /// Equal neighbours are gathered as long as their names are a range or all empty.
  void put_members(Json& json, const Cluster& cluster, const NodeCosts& costs) const {
    Json children = Json::array();
    std::vector<std::string> names;
    Json run;
    const auto finish_run = [&] {
      if (names.empty()) return;
      Json item = Json::object();
      if (names.front().empty()) {
        if (names.size() > 1) item["count"] = names.size();
      } else {
        item["name"] = names.size() == 1 ? names.front() : *compress_hostlist(names);
      }
      item.update(run);
      children.push_back(std::move(item));
      names.clear();
    };
    for (const Member& member : machine_.members(cluster)) {
      Json next = Json::object();
      put_member(next, member, cluster.depth, costs);
      const std::string& name =
          member.is_leaf ? machine_.leaf_name(member.id) : machine_.clusters()[member.id].name;
      if (names.empty() || next != run || !continues(names, name)) {
        finish_run();
        run = std::move(next);
      }
      names.push_back(name);
    }
    finish_run();
    const bool plain = children.size() == 1 && children[0].size() <= 1 &&
                       (children[0].empty() || children[0].contains("count"));
    if (plain) {
      json["processes"] = cluster.member_count;
    } else {
      json["children"] = std::move(children);
    }
  }

  static bool continues(const std::vector<std::string>& names, const std::string& name) {
    if (name.empty() || names.front().empty()) return name.empty() && names.front().empty();
    return name_after(names.front(), names.size()) == name;
  }

  void put_member(Json& json, const Member& member, std::uint32_t level,
                  const NodeCosts& inherited) const {
    const Uplink& uplink = uplink_of(member);
    if (uplink != *usual_[level].uplink) json["uplink"] = uplink_json(uplink);
    if (member.is_leaf) {
      put_costs(json, machine_.leaf_costs(member.id), inherited);
    } else {
      put_cluster(json, machine_.clusters()[member.id], inherited);
    }
  }

  void put_placement(Json& json) const {
    const std::span<const Leaf> placed = machine_.placement();
    if (std::ranges::equal(placed, block_placement(machine_))) return;
    if (std::ranges::equal(placed, cyclic_placement(machine_))) {
      json["placement"] = "cyclic";
    } else {
      json["placement"] = std::vector<Leaf>(placed.begin(), placed.end());
    }
  }

  const Machine& machine_;
  std::vector<Usual> usual_;
};

constexpr std::size_t kWidth = 100;

/// The one-line form has no spaces; this one has, outside of strings.
std::string on_one_line(const Json& json) {
  std::string spaced;
  bool quoted = false;
  bool escaped = false;
  for (const char c : json.dump()) {
    spaced += c;
    if (c == '"' && !escaped) quoted = !quoted;
    escaped = c == '\\' && !escaped;
    if (!quoted && (c == ',' || c == ':')) spaced += ' ';
  }
  return spaced;
}

/// Numbers flow like text: a placement of 131,072 ranks is no list of lines.
void print_numbers(const Json& array, std::size_t indent, std::string& out) {
  const std::string pad = "\n" + std::string(indent + 2, ' ');
  std::size_t column = kWidth;
  out += "[";
  for (std::size_t i = 0; i < array.size(); ++i) {
    const std::string item = array[i].dump() + (i + 1 < array.size() ? ", " : "");
    if (column + item.size() > kWidth) {
      out += pad;
      column = indent + 2;
    }
    out += item;
    column += item.size();
  }
  out += "\n" + std::string(indent, ' ') + "]";
}

/// Two spaces a level, but what fits on a line stays on it: machines are read by people.
void print(const Json& json, std::size_t indent, std::string& out) {
  if (json.is_array() && !json.empty() && json.front().is_number()) {
    return print_numbers(json, indent, out);
  }
  const std::string line = on_one_line(json);
  if (indent + line.size() <= kWidth || (!json.is_array() && !json.is_object()) || json.empty()) {
    out += line;
    return;
  }
  const std::string pad(indent + 2, ' ');
  out += json.is_array() ? "[\n" : "{\n";
  bool first = true;
  const auto begin_item = [&] {
    if (!first) out += ",\n";
    first = false;
    out += pad;
  };
  if (json.is_array()) {
    for (const Json& item : json) {
      begin_item();
      print(item, indent + 2, out);
    }
  } else {
    for (const auto& [key, value] : json.items()) {
      begin_item();
      out += Json(key).dump() + ": ";
      print(value, indent + 2, out);
    }
  }
  out += "\n" + std::string(indent, ' ') + (json.is_array() ? "]" : "}");
}

}  // namespace

std::string write_json(const Machine& machine, std::span<const std::string> notes) {
  std::string text;
  print(Writer(machine).write(notes), 0, text);
  return text + "\n";
}

}  // namespace espalier::topology
