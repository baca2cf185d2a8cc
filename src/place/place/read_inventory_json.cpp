#include <fmt/format.h>

#include <algorithm>

#include "base/json_reader.hpp"
#include "base/units.hpp"
#include "place/load_inventory.hpp"
#include "topology/hostlist.hpp"

namespace espalier::place {
namespace {

constexpr std::string_view kFormat = "espalier-inventory-1";
constexpr std::uint64_t kMaxHosts = 1U << 20;

class Reader : public JsonReader {
 public:
  explicit Reader(const std::string& file)
      : JsonReader(file, kFormat, "see docs/formats.md, espalier-inventory-1") {}

  InventorySpec inventory(const LocatedJson& json) {
    expect_kind(json, Kind::Object, "the inventory");
    check_format(json);
    known(json, {"format", "name", "between", "inside", "node", "send", "recv", "clusters", "links",
                 "hosts"});
    InventorySpec spec;
    spec.where = file();
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
      expect_kind(*n, Kind::Array, "\"clusters\"");
      for (const LocatedJson& item : n->items) spec.clusters.push_back(cluster(item, spec));
    }
    if (const LocatedJson* n = json.find("links")) {
      expect_kind(*n, Kind::Array, "\"links\"");
      for (const LocatedJson& item : n->items) spec.links.push_back(link(item));
    }
    const LocatedJson& list = member(json, "hosts");
    expect_kind(list, Kind::Array, "\"hosts\"");
    for (const LocatedJson& item : list.items) hosts(item, spec);
    return spec;
  }

 private:
  void known(const LocatedJson& json, std::initializer_list<std::string_view> keys) const {
    expect_kind(json, Kind::Object, "this");
    refuse_unknown(json, keys);
  }
  std::uint32_t count(const LocatedJson& json, std::string_view name) const {
    return static_cast<std::uint32_t>(number(json, name, kMaxHosts));
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
    expect_kind(between, Kind::Array, "\"between\"");
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
    map::Host host;
    if (const LocatedJson* n = json.find("cluster")) host.cluster = text(*n, "\"cluster\"");
    if (const LocatedJson* n = json.find("slots")) host.slots = count(*n, "\"slots\"");
    host.cores = host.slots;
    if (const LocatedJson* n = json.find("cores")) host.cores = count(*n, "\"cores\"");
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
      host.state = word == "free"   ? map::HostState::Free
                   : word == "busy" ? map::HostState::Busy
                                    : map::HostState::Down;
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
};

}  // namespace

Expected<map::Inventory> read_inventory_json(std::string_view text, const std::string& file,
                                             const std::vector<LinkSpec>& forecast) {
  auto json = parse_located_json(text, file);
  if (!json) return json.error();
  try {
    InventorySpec spec = Reader(file).inventory(*json);
    if (auto bad = apply_forecast(forecast, spec)) return *bad;
    return build_inventory(std::move(spec));
  } catch (const JsonReader::Refused& refused) {
    return refused.error;
  }
}

}  // namespace espalier::place
