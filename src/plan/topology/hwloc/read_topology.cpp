#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/located_xml.hpp"
#include "topology/hwloc/cpu_set.hpp"
#include "topology/hwloc/object.hpp"

namespace espalier::topology::hwloc {
namespace {

constexpr std::uint32_t kMaxDepth = 64;

using Failure = std::optional<Error>;

/// What an object's type means to us.
enum class Role { Cluster, Core, Thread, Memory, Device, Unknown };

struct Type {
  Role role = Role::Unknown;
  std::string kind;  // of a cluster
};

/// hwloc 1 writes <object type="Cache" depth="3" cache_type="0">, hwloc 2 "L3Cache" and "L1iCache".
Type cache_type(pugi::xml_node object) {
  const std::string_view type = object.attribute("type").value();
  std::string_view level = object.attribute("depth").value();
  bool instructions = std::string_view(object.attribute("cache_type").value()) == "2";
  if (type != "Cache") {
    level = type.substr(1, 1);
    instructions = type.substr(2) == "iCache";
  }
  if (level.size() != 1 || level[0] < '1' || level[0] > '5') return {};
  return {Role::Cluster, fmt::format("l{}{}", level, instructions ? "i" : "")};
}

Type type_of(pugi::xml_node object) {
  const std::string_view type = object.attribute("type").value();
  if (type == "PU") return {Role::Thread, ""};
  if (type == "Core") return {Role::Core, ""};
  if (type == "Machine" || type == "System") return {Role::Cluster, "machine"};
  if (type == "Package" || type == "Socket") return {Role::Cluster, "package"};
  if (type == "Die") return {Role::Cluster, "die"};
  if (type == "NUMANode") return {Role::Memory, "numa"};
  if (type == "MemCache") return {Role::Memory, "numa"};
  if (type == "Group" || type == "Misc") return {Role::Cluster, "group"};
  if (type == "Bridge" || type == "PCIDev" || type == "OSDev") return {Role::Device, ""};
  const bool cache = type == "Cache" || (type.size() > 2 && type[0] == 'L' &&
                                         (type.substr(2) == "Cache" || type.substr(2) == "iCache"));
  return cache ? cache_type(object) : Type{};
}

std::optional<std::uint32_t> read_index(pugi::xml_node object) {
  const std::string_view text = object.attribute("os_index").value();
  std::uint32_t index = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool whole = code == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole ? std::optional(index) : std::nullopt;
}

/// Walks the <object> elements and keeps those with cores that may be used.
class Walker {
 public:
  Walker(const LocatedXml& xml, Topology& out) : xml_(xml), out_(out) {}

  Failure read_machine(pugi::xml_node machine) {
    // Since version 2 memory hangs beside the CPUs of its domain; before, it held them.
    memory_hangs_beside_ = !xml_.root().attribute("version").empty();
    for (const char* name : {"cpuset", "online_cpuset", "allowed_cpuset"}) {
      const pugi::xml_attribute attribute = machine.attribute(name);
      if (attribute.empty()) continue;
      auto set = CpuSet::parse(attribute.value());
      if (!set) {
        return refuse(machine,
                      fmt::format("{}=\"{:.60}\" is not a set of CPUs", name,
                                  std::string_view(attribute.value())),
                      "hwloc writes sets such as \"0x000000ff\"");
      }
      usable_.push_back(*std::move(set));
    }
    return read_cluster(machine, "machine", {}, out_.machine);
  }

 private:
  Failure refuse(pugi::xml_node object, std::string what, std::string hint) const {
    return Error{xml_.where(object), std::move(what), std::move(hint)};
  }

  Failure read_cluster(pugi::xml_node node, const std::string& kind,
                       const std::vector<std::string>& around, Object& out) {
    if (around.size() >= kMaxDepth) {
      return refuse(node, fmt::format("objects nested deeper than {}", kMaxDepth),
                    "no machine is that deep; is this file damaged?");
    }
    out.kind = kind;
    while (std::find(around.begin(), around.end(), out.kind) != around.end()) {
      if (kind != "group") {
        return refuse(node, fmt::format("a {} inside of a {}", kind, kind),
                      "export it again with lstopo; is this file damaged?");
      }
      out.kind.insert(0, "sub");
    }
    out.where = xml_.where(node);
    std::vector<std::string> path = around;
    path.push_back(out.kind);

    bool has_memory = false;
    for (const pugi::xml_node child : node.children("object")) {
      if (Failure failure = read_object(child, path, out, has_memory)) return failure;
    }
    if (has_memory && memory_hangs_beside_) make_numa_domain(out);
    return {};
  }

  Failure read_object(pugi::xml_node node, const std::vector<std::string>& path, Object& parent,
                      bool& has_memory) {
    const Type type = type_of(node);
    switch (type.role) {
      case Role::Device:
        return {};
      case Role::Core:
      case Role::Thread:
        return read_core(node, parent);
      case Role::Memory:
        has_memory = true;
        if (memory_hangs_beside_) return {};
        [[fallthrough]];
      case Role::Cluster: {
        Object object;
        if (Failure failure = read_cluster(node, type.kind, path, object)) return failure;
        if (!object.members.empty()) parent.members.push_back(std::move(object));
        return {};
      }
      case Role::Unknown:
        break;
    }
    return refuse(node,
                  fmt::format("an object of type \"{:.40}\"",
                              std::string_view(node.attribute("type").value())),
                  "expected Package, Die, NUMANode, L3Cache, Group, Core, PU or another type of "
                  "hwloc 1 or 2");
  }

  /// Memory hangs beside the cores it is near to: they are its domain. Where parts of them have
  /// memory of their own, those parts are the domains.
  static void make_numa_domain(Object& object) {
    if (object.members.empty() || holds(object, "numa")) return;
    Object domain{"numa", object.where, std::move(object.members)};
    object.members.clear();
    object.members.push_back(std::move(domain));
  }

  static bool holds(const Object& object, std::string_view kind) {
    return std::any_of(object.members.begin(), object.members.end(), [&](const Object& member) {
      return member.kind == kind || holds(member, kind);
    });
  }

  /// A core, or a PU that stands outside of any.
  Failure read_core(pugi::xml_node node, Object& parent) {
    std::uint64_t known = 0;
    std::uint64_t usable = 0;
    if (Failure failure = read_threads(node, 0, known, usable)) return failure;
    if (known == 0) {
      return refuse(node, "a Core without a PU", "hwloc lists at least one PU in each core");
    }
    if (usable == 0) {
      ++out_.unusable_cores;
      return {};
    }
    ++out_.cores;
    out_.threads += usable;
    parent.members.push_back({"core", xml_.where(node), {}});
    return {};
  }

  /// Whatever stands between a core and its PUs (a cache, say) divides nothing.
  Failure read_threads(pugi::xml_node node, std::uint32_t depth, std::uint64_t& known,
                       std::uint64_t& usable) {
    if (depth > kMaxDepth) {
      return refuse(node, fmt::format("objects nested deeper than {}", kMaxDepth),
                    "no core is that deep; is this file damaged?");
    }
    if (std::string_view(node.attribute("type").value()) == "PU") {
      const auto index = read_index(node);
      if (!index) {
        return refuse(node,
                      fmt::format("a PU with os_index \"{:.40}\"",
                                  std::string_view(node.attribute("os_index").value())),
                      "each PU needs the number that the system gives it");
      }
      if (!seen_.insert(*index).second) {
        return refuse(node, fmt::format("os_index {} stands for two PUs", *index),
                      "export it again with lstopo; is this file damaged?");
      }
      ++known;
      const bool usable_here = std::all_of(usable_.begin(), usable_.end(),
                                           [&](const CpuSet& set) { return set.contains(*index); });
      if (usable_here) ++usable;
    }
    for (const pugi::xml_node child : node.children("object")) {
      if (Failure failure = read_threads(child, depth + 1, known, usable)) return failure;
    }
    return {};
  }

  const LocatedXml& xml_;
  Topology& out_;
  bool memory_hangs_beside_ = true;
  std::vector<CpuSet> usable_;
  std::set<std::uint32_t> seen_;
};

std::string host_name(pugi::xml_node machine) {
  return machine.find_child_by_attribute("info", "name", "HostName").attribute("value").value();
}

}  // namespace

Expected<Topology> read_topology(std::string_view text, const std::string& file) {
  auto xml = LocatedXml::parse(text, file);
  if (!xml) return xml.error();
  const pugi::xml_node root = xml->root();
  if (std::string_view(root.name()) != "topology") {
    return Error{
        xml->where(root),
        fmt::format("the root element is <{:.40}>, not <topology>", std::string_view(root.name())),
        "hwloc XML is written by \"lstopo node.xml\""};
  }
  const pugi::xml_node machine = root.child("object");
  const Type type = machine ? type_of(machine) : Type{};
  if (type.kind != "machine" || machine.next_sibling("object")) {
    return Error{xml->where(machine ? machine : root),
                 "<topology> does not hold exactly one object, of type Machine",
                 "export it again with lstopo; is this file damaged?"};
  }
  Topology topology;
  topology.host_name = host_name(machine);
  if (Failure failure = Walker(*xml, topology).read_machine(machine)) return *failure;
  if (topology.cores == 0) {
    return Error{xml->where(machine),
                 fmt::format("no core that may be used ({} offline or not allowed)",
                             topology.unusable_cores),
                 "look at the machine's cpuset and allowed_cpuset"};
  }
  return topology;
}

}  // namespace espalier::topology::hwloc
