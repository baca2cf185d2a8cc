#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/located_json.hpp"
#include "base/units.hpp"
#include "place/load_inventory.hpp"
#include "topology/hostlist.hpp"

namespace espalier::place {
namespace {

using Kind = LocatedJson::Kind;
constexpr std::string_view kFormat = "espalier-inventory-1";
constexpr std::uint64_t kMaxHosts = 1U << 20;

/// Thrown and caught in this file only.
struct Refused {
  Error error;
};

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  InventorySpec inventory(const LocatedJson& json) {
    expect(json, Kind::Object, "the inventory");
    const LocatedJson* format = json.find("format");
    if (format == nullptr || format->text != kFormat) {
      refuse(format == nullptr ? json : *format, "no \"format\" that is known here",
             fmt::format("begin with \"format\": \"{}\"", kFormat));
    }
    known(json, {"format", "name", "between", "inside", "node", "send", "recv", "clusters", "links",
                 "hosts"});
    InventorySpec spec;
    spec.where = file_;
    if (const LocatedJson* name = json.find("name")) spec.name = text(*name, "\"name\"");
    if (const LocatedJson* n = json.find("between")) network(*n, spec.between, spec.uplink);
    if (const LocatedJson* n = json.find("inside")) network(*n, spec.inside, spec.port);
    if (const LocatedJson* n = json.find("node")) {
      topology::Uplink none;
      network(*n, spec.memory, none);
    }
    if (const LocatedJson* n = json.find("send")) spec.send.fixed = time(*n, "\"send\"");
    if (const LocatedJson* n = json.find("recv")) spec.recv.fixed = time(*n, "\"recv\"");
    if (const LocatedJson* n = json.find("clusters")) {
      expect(*n, Kind::Array, "\"clusters\"");
      for (const LocatedJson& item : n->items) spec.clusters.push_back(cluster(item, spec));
    }
    if (const LocatedJson* n = json.find("links")) {
      expect(*n, Kind::Array, "\"links\"");
      for (const LocatedJson& item : n->items) spec.links.push_back(link(item));
    }
    const LocatedJson& list = member(json, "hosts");
    expect(list, Kind::Array, "\"hosts\"");
    for (const LocatedJson& item : list.items) hosts(item, spec);
    return spec;
  }

 private:
  [[noreturn]] void refuse(const LocatedJson& json, std::string what, std::string hint) const {
    throw Refused{{at(json), std::move(what), std::move(hint)}};
  }
  [[nodiscard]] std::string at(const LocatedJson& json) const {
    return fmt::format("{}:{}", file_, json.line);
  }
  void expect(const LocatedJson& json, Kind kind, std::string_view name) const {
    if (json.kind == kind) return;
    refuse(json, fmt::format("{} is {}, not {}", name, describe(json.kind), describe(kind)),
           "see docs/formats.md, espalier-inventory-1");
  }
  const LocatedJson& member(const LocatedJson& json, std::string_view key) const {
    const LocatedJson* found = json.find(key);
    if (found == nullptr) {
      refuse(json, fmt::format("no \"{}\"", key), "see docs/formats.md, espalier-inventory-1");
    }
    return *found;
  }
  void known(const LocatedJson& json, std::initializer_list<std::string_view> keys) const {
    expect(json, Kind::Object, "this");
    for (std::size_t i = 0; i < json.keys.size(); ++i) {
      if (std::find(keys.begin(), keys.end(), json.keys[i]) != keys.end()) continue;
      refuse(json.items[i], fmt::format("unknown key \"{}\"", json.keys[i].substr(0, 60)),
             fmt::format("known here: {}", fmt::join(keys, ", ")));
    }
  }
  const std::string& text(const LocatedJson& json, std::string_view name) const {
    expect(json, Kind::String, name);
    return json.text;
  }
  template <typename T>
  T quantity(const LocatedJson& json, std::string_view name,
             Expected<T> (*parse)(std::string_view)) const {
    expect(json, Kind::String, name);
    auto value = parse(json.text);
    if (!value) refuse(json, value.error().what, value.error().hint);
    return *value;
  }
  Time time(const LocatedJson& json, std::string_view name) const {
    return quantity<Time>(json, name, parse_time);
  }
  Bandwidth bandwidth(const LocatedJson& json, std::string_view name) const {
    return quantity<Bandwidth>(json, name, parse_bandwidth);
  }
  std::uint32_t number(const LocatedJson& json, std::string_view name) const {
    std::uint32_t n = 0;
    const char* end = json.text.data() + json.text.size();
    const auto [stop, code] = std::from_chars(json.text.data(), end, n);
    if (json.kind != Kind::Number || code != std::errc() || stop != end || n > kMaxHosts) {
      refuse(json, fmt::format("{} is not a whole number up to {}", name, kMaxHosts),
             "write 4, say");
    }
    return n;
  }

  /// "latency" and "flow_cap" of a channel, "bandwidth" of what joins its members to it.
  void network(const LocatedJson& json, topology::Channel& channel,
               topology::Uplink& uplink) const {
    known(json, {"latency", "flow_cap", "backbone", "bandwidth"});
    if (const LocatedJson* n = json.find("latency")) channel.latency = time(*n, "\"latency\"");
    if (const LocatedJson* n = json.find("flow_cap"))
      channel.flow_cap = bandwidth(*n, "\"flow_cap\"");
    if (const LocatedJson* n = json.find("backbone"))
      channel.backbone = bandwidth(*n, "\"backbone\"");
    if (const LocatedJson* n = json.find("bandwidth")) {
      uplink.out = uplink.in = bandwidth(*n, "\"bandwidth\"");
    }
  }
  ClusterSpec cluster(const LocatedJson& json, const InventorySpec& spec) const {
    known(json, {"name", "latency", "backbone", "flow_cap", "uplink"});
    ClusterSpec cluster;
    cluster.where = at(json);
    cluster.name = text(member(json, "name"), "\"name\"");
    topology::Channel channel = spec.inside;
    if (const LocatedJson* n = json.find("latency")) channel.latency = time(*n, "\"latency\"");
    if (const LocatedJson* n = json.find("backbone"))
      channel.backbone = bandwidth(*n, "\"backbone\"");
    if (const LocatedJson* n = json.find("flow_cap"))
      channel.flow_cap = bandwidth(*n, "\"flow_cap\"");
    cluster.channel = channel;
    if (const LocatedJson* n = json.find("uplink")) {
      topology::Uplink uplink;
      uplink.out = uplink.in = bandwidth(*n, "\"uplink\"");
      cluster.uplink = uplink;
    }
    return cluster;
  }
  LinkSpec link(const LocatedJson& json) const {
    known(json, {"between", "latency", "capacity"});
    const LocatedJson& between = member(json, "between");
    expect(between, Kind::Array, "\"between\"");
    if (between.items.size() != 2)
      refuse(between, "a link is between two clusters", "[\"a\", \"b\"]");
    LinkSpec link;
    link.where = at(json);
    link.a = text(between.items[0], "a cluster");
    link.b = text(between.items[1], "a cluster");
    link.latency = time(member(json, "latency"), "\"latency\"");
    if (const LocatedJson* n = json.find("capacity")) link.capacity = bandwidth(*n, "\"capacity\"");
    return link;
  }
  void hosts(const LocatedJson& json, InventorySpec& spec) const {
    known(json, {"name", "cluster", "slots", "cores", "speed", "state"});
    Host host;
    if (const LocatedJson* n = json.find("cluster")) host.cluster = text(*n, "\"cluster\"");
    if (const LocatedJson* n = json.find("slots")) host.slots = number(*n, "\"slots\"");
    host.cores = host.slots;
    if (const LocatedJson* n = json.find("cores")) host.cores = number(*n, "\"cores\"");
    if (const LocatedJson* n = json.find("speed")) {
      const auto speed = parse_millionths(n->text);
      if (!speed || *speed == 0) refuse(*n, "\"speed\" is no positive number", "write 1.5, say");
      host.speed_millionths = *speed;
    }
    if (const LocatedJson* n = json.find("state")) {
      const std::string& word = text(*n, "\"state\"");
      if (word != "free" && word != "busy" && word != "down") {
        refuse(*n, fmt::format("there is no state \"{}\"", word.substr(0, 60)),
               "free, busy or down");
      }
      host.state = word == "free"   ? HostState::Free
                   : word == "busy" ? HostState::Busy
                                    : HostState::Down;
    }
    const LocatedJson& name = member(json, "name");
    auto names = topology::expand_hostlist(text(name, "\"name\""), kMaxHosts);
    if (!names) refuse(name, names.error().what, names.error().hint);
    for (const std::string& one : *names) {
      host.name = one;
      spec.hosts.push_back({at(json), host});
      if (spec.hosts.size() > kMaxHosts) refuse(json, "too many hosts", "at most 1,048,576");
    }
  }

  const std::string& file_;
};

/// A link as it is forecast takes the place of the one that is described, but for a capacity that
/// was never measured.
void apply(const std::vector<LinkSpec>& forecast, InventorySpec& spec) {
  const auto has_host = [&](const std::string& cluster) {
    return std::any_of(spec.hosts.begin(), spec.hosts.end(),
                       [&](const HostSpec& h) { return h.host.cluster == cluster; });
  };
  for (const LinkSpec& now : forecast) {
    if (!has_host(now.a) || !has_host(now.b)) {
      spec.notes.push_back(fmt::format("the forecast for {} - {} is of no use here", now.a, now.b));
      continue;
    }
    const auto known = std::find_if(spec.links.begin(), spec.links.end(), [&](const LinkSpec& l) {
      return (l.a == now.a && l.b == now.b) || (l.a == now.b && l.b == now.a);
    });
    if (known == spec.links.end()) {
      spec.links.push_back(now);
    } else {
      known->latency = now.latency;
      if (!now.capacity.unlimited()) known->capacity = now.capacity;
    }
  }
}

}  // namespace

Expected<Inventory> read_inventory_json(std::string_view text, const std::string& file,
                                        const std::vector<LinkSpec>& forecast) {
  auto json = parse_located_json(text, file);
  if (!json) return json.error();
  try {
    InventorySpec spec = Reader(file).inventory(*json);
    apply(forecast, spec);
    return build_inventory(std::move(spec));
  } catch (const Refused& refused) {
    return refused.error;
  }
}

}  // namespace espalier::place
