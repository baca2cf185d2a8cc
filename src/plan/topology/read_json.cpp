#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/json_reader.hpp"
#include "base/units.hpp"
#include "topology/machine_spec.hpp"
#include "topology/readers.hpp"

namespace espalier::topology {
namespace {

constexpr std::string_view kFormat = "espalier-machine-1";

class Reader : public JsonReader {
 public:
  explicit Reader(std::string file) : JsonReader(std::move(file), kFormat, "see docs/machine.md") {}

  MachineSpec machine(const LocatedJson& json) const {
    if (json.kind != Kind::Object) {
      refuse(json, fmt::format("the machine is {}, not an object", describe(json.kind)),
             fmt::format("a machine is {{\"format\": \"{}\", ...}}: see docs/machine.md", kFormat));
    }
    if (json.find("format") != nullptr) check_format(json);  // another version has other keys
    refuse_unknown(json, {"format", "name", "notes", "levels", "placement", "children", "processes",
                          "pairs", "channel", "send", "recv", "reduce", "speed"});
    check_format(json);
    MachineSpec spec;
    spec.where = at(json);
    spec.name = text_or(json, "name", "");
    if (const LocatedJson* levels = json.find("levels")) {
      expect_kind(*levels, Kind::Array, "\"levels\"");
      for (const LocatedJson& item : levels->items) spec.levels.push_back(level(item));
    }
    spec.whole = member_without_identity(json);
    if (const LocatedJson* placed = json.find("placement")) placement(*placed, spec);
    return spec;
  }

  std::vector<std::string> notes(const LocatedJson& json) const {
    std::vector<std::string> result;
    const LocatedJson* notes = json.find("notes");
    if (notes == nullptr) return result;
    expect_kind(*notes, Kind::Array, "\"notes\"");
    for (const LocatedJson& note : notes->items) {
      expect_kind(note, Kind::String, "a note");
      result.push_back(note.text);
    }
    return result;
  }

 private:
  std::string text_or(const LocatedJson& json, std::string_view key, std::string fallback) const {
    const LocatedJson* item = json.find(key);
    if (item == nullptr) return fallback;
    expect_kind(*item, Kind::String, fmt::format("\"{}\"", key));
    return item->text;
  }
  std::uint64_t whole_number(const LocatedJson& json, std::string_view key) const {
    std::uint64_t n = 0;
    const char* end = json.text.data() + json.text.size();
    const auto [at, code] = std::from_chars(json.text.data(), end, n);
    if (json.kind != Kind::Number || code != std::errc() || at != end) {
      const bool shows = json.kind == Kind::Number || json.kind == Kind::String;
      refuse(json,
             fmt::format("\"{}\" is {}, not a whole number", key,
                         shows ? fmt::format("{:.60}", json.text) : describe(json.kind)),
             json.kind == Kind::String ? "write it without quotes: 16"
                                       : "write how many, without sign or point: 16");
    }
    return n;
  }

  /// Reads json[key] by `read` into `into`, if it is there.
  template <typename Read, typename Into>
  void maybe(const LocatedJson& json, std::string_view key, Read read, Into& into) const {
    if (const LocatedJson* item = json.find(key)) into = read(*item);
  }
  void maybe_time(const LocatedJson& json, std::string_view key, auto& into) const {
    maybe(
        json, key, [&](const LocatedJson& item) { return time(item, fmt::format("\"{}\"", key)); },
        into);
  }
  void maybe_bandwidth(const LocatedJson& json, std::string_view key, auto& into) const {
    maybe(
        json, key,
        [&](const LocatedJson& item) { return bandwidth(item, fmt::format("\"{}\"", key)); }, into);
  }

  Cost cost(const LocatedJson& json, std::string_view key) const {
    if (json.kind != Kind::Object) return {time(json, fmt::format("\"{}\"", key)), kUnlimited};
    refuse_unknown(json, {"fixed", "rate"});
    Cost cost;
    maybe_time(json, "fixed", cost.fixed);
    maybe_bandwidth(json, "rate", cost.rate);
    return cost;
  }

  Uplink uplink(const LocatedJson& json) const {
    if (json.kind != Kind::Object) {
      const Bandwidth both = bandwidth(json, "\"uplink\"");
      return {both, both, false, Time{0}};
    }
    refuse_unknown(json, {"bandwidth", "out", "in", "duplex", "latency"});
    Uplink uplink;
    maybe_bandwidth(json, "bandwidth", uplink.out);
    uplink.in = uplink.out;
    if (json.find("bandwidth") != nullptr &&
        (json.find("out") != nullptr || json.find("in") != nullptr)) {
      refuse(json, "\"bandwidth\" stands beside \"out\" or \"in\"",
             "give \"bandwidth\" for both directions, or \"out\" and \"in\"");
    }
    maybe_bandwidth(json, "out", uplink.out);
    maybe_bandwidth(json, "in", uplink.in);
    maybe_time(json, "latency", uplink.latency);
    const std::string duplex = text_or(json, "duplex", "full");
    if (duplex != "full" && duplex != "half") {
      refuse(*json.find("duplex"), fmt::format("\"duplex\" is \"{}\"", duplex.substr(0, 60)),
             "write \"full\" or \"half\"");
    }
    uplink.half_duplex = duplex == "half";
    return uplink;
  }

  LevelSpec level(const LocatedJson& json) const {
    expect_kind(json, Kind::Object, "a level");
    refuse_unknown(json, {"name", "members", "latency", "backbone", "flow_cap", "uplink"});
    LevelSpec level;
    level.name = {text_or(json, "name", ""), text_or(json, "members", "")};
    maybe_time(json, "latency", level.channel.latency);
    if (json.find("latency") != nullptr) {
      level.channel.latency = std::max(level.channel.latency, kLeastLatency);
    }
    maybe_bandwidth(json, "backbone", level.channel.backbone);
    maybe_bandwidth(json, "flow_cap", level.channel.flow_cap);
    maybe(
        json, "uplink", [&](const LocatedJson& item) { return uplink(item); }, level.uplink);
    return level;
  }

  CostOverride costs(const LocatedJson& json) const {
    CostOverride costs;
    maybe(
        json, "send", [&](const LocatedJson& item) { return cost(item, "send"); }, costs.send);
    maybe(
        json, "recv", [&](const LocatedJson& item) { return cost(item, "recv"); }, costs.recv);
    maybe_bandwidth(json, "reduce", costs.reduce);
    if (const LocatedJson* speed = json.find("speed")) {
      if (speed->kind != Kind::String) expect_kind(*speed, Kind::Number, "\"speed\"");
      auto value = parse_millionths(speed->text);
      if (!value || *value == 0) {
        refuse(*speed, fmt::format("\"speed\" is {}", speed->text.substr(0, 60)),
               "write a number above 0 with at most six digits after the point; 1 is usual");
      }
      costs.speed_millionths = *value;
    }
    return costs;
  }

  ChannelOverride channel(const LocatedJson& json) const {
    expect_kind(json, Kind::Object, "\"channel\"");
    refuse_unknown(json, {"latency", "backbone", "flow_cap"});
    ChannelOverride channel;
    maybe_time(json, "latency", channel.latency);
    maybe_bandwidth(json, "backbone", channel.backbone);
    maybe_bandwidth(json, "flow_cap", channel.flow_cap);
    return channel;
  }

  MemberSpec::Pair pair(const LocatedJson& json) const {
    expect_kind(json, Kind::Object, "a pair");
    refuse_unknown(json, {"between", "latency", "capacity"});
    const LocatedJson* between = json.find("between");
    if (between == nullptr || between->kind != Kind::Array || between->items.size() != 2) {
      refuse(json, "a pair without \"between\": [one, other]",
             "name two members, or their indices");
    }
    MemberSpec::Pair pair;
    pair.where = at(json);
    for (const LocatedJson& end : between->items) {
      if (end.kind != Kind::String && end.kind != Kind::Number) {
        refuse(end, fmt::format("\"between\" holds {}", describe(end.kind)),
               "name two members, or their indices");
      }
    }
    pair.a = between->items[0].text;
    pair.b = between->items[1].text;
    pair.a_is_index = between->items[0].kind == Kind::Number;
    pair.b_is_index = between->items[1].kind == Kind::Number;
    maybe_time(json, "latency", pair.latency);
    maybe_bandwidth(json, "capacity", pair.capacity);
    return pair;
  }

  /// All but name, count and uplink, which the whole machine does not have.
  MemberSpec member_without_identity(const LocatedJson& json) const {
    MemberSpec spec;
    spec.where = at(json);
    maybe(
        json, "channel", [&](const LocatedJson& item) { return channel(item); }, spec.channel);
    spec.costs = costs(json);
    if (const LocatedJson* children = json.find("children")) {
      expect_kind(*children, Kind::Array, "\"children\"");
      if (children->items.empty()) {
        refuse(*children, "\"children\" is empty", "a member without children is a process");
      }
      spec.members.reserve(children->items.size() + 1);
      for (const LocatedJson& child : children->items) spec.members.push_back(member(child));
    }
    if (const LocatedJson* processes = json.find("processes")) {
      MemberSpec plain;
      plain.where = at(*processes);
      plain.count = whole_number(*processes, "processes");
      if (plain.count == 0)
        refuse(*processes, "\"processes\" is 0", "a cluster holds at least one");
      spec.members.push_back(std::move(plain));
    }
    if (const LocatedJson* pairs = json.find("pairs")) {
      expect_kind(*pairs, Kind::Array, "\"pairs\"");
      for (const LocatedJson& item : pairs->items) spec.pairs.push_back(pair(item));
    }
    if (spec.members.empty() && (json.find("channel") != nullptr || !spec.pairs.empty())) {
      refuse(json, "a process has no channel and no pairs", "give it children or \"processes\"");
    }
    return spec;
  }

  MemberSpec member(const LocatedJson& json) const {
    expect_kind(json, Kind::Object, "a child");
    refuse_unknown(json, {"name", "count", "uplink", "channel", "send", "recv", "reduce", "speed",
                          "children", "processes", "pairs"});
    MemberSpec spec = member_without_identity(json);
    spec.name = text_or(json, "name", "");
    if (const LocatedJson* count = json.find("count")) spec.count = whole_number(*count, "count");
    maybe(
        json, "uplink", [&](const LocatedJson& item) { return uplink(item); }, spec.uplink);
    return spec;
  }

  void placement(const LocatedJson& json, MachineSpec& spec) const {
    if (json.kind == Kind::Array) {
      spec.placement = PlacementKind::Listed;
      spec.listed.reserve(json.items.size());
      for (const LocatedJson& item : json.items) {
        spec.listed.push_back(whole_number(item, "placement"));
      }
    } else if (json.kind == Kind::String && json.text == "cyclic") {
      spec.placement = PlacementKind::Cyclic;
    } else if (json.kind != Kind::String || json.text != "block") {
      refuse(json, "\"placement\" is neither \"block\" nor \"cyclic\" nor a list",
             "a list holds the place of rank 0, of rank 1, ..., counted along the tree");
    }
  }
};

}  // namespace

Expected<LoadedMachine> read_json_and_notes(std::string_view text, const std::string& file) {
  auto json = parse_located_json(text, file);
  if (!json) return json.error();
  try {
    const Reader reader(file);
    auto machine = build_machine(reader.machine(*json));
    if (!machine) return machine.error();
    return LoadedMachine{*std::move(machine), reader.notes(*json)};
  } catch (const JsonReader::Refused& refused) {
    return refused.error;
  }
}

Expected<Machine> read_json(std::string_view text, const std::string& file) {
  auto loaded = read_json_and_notes(text, file);
  if (!loaded) return loaded.error();
  return std::move(loaded->machine);
}

}  // namespace espalier::topology
