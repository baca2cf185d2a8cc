#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/expected.hpp"
#include "topology/simgrid/platform.hpp"

namespace espalier::topology::simgrid {

enum class Sharing : std::uint8_t { Shared, SplitDuplex, FatPipe };

/// A Platform in the making: knows every name, and refuses a second of a kind.
class PlatformBuilder {
 public:
  explicit PlatformBuilder(std::string file) { platform_.file = std::move(file); }

  Expected<ZoneId> add_zone(const std::string& name, Routing routing, ZoneId parent,
                            std::uint32_t line);
  Expected<PointId> add_router(const std::string& name, ZoneId zone, std::uint32_t line);
  Expected<PointId> add_host(const std::string& name, const Host& host, ZoneId zone,
                             std::uint32_t line);
  Failure add_group(HostGroup group);
  /// Returns the link; of a link with two halves (NAME_UP and NAME_DOWN) the forward one.
  Expected<LinkId> add_link(const std::string& name, Bandwidth bandwidth, Time latency,
                            Sharing sharing, std::uint32_t line);
  void add_edge(ZoneId zone, Edge edge, const std::vector<LinkId>& links);
  /// Adds it once, however often it is said.
  void note(const std::string& text);

  /// kNone if there is none. The hosts of a group are no points until one is asked for by name:
  /// then it is taken out of its group.
  PointId find_point(const std::string& name);
  [[nodiscard]] LinkId find_link(const std::string& name) const;

  [[nodiscard]] const Platform& platform() const { return platform_; }
  [[nodiscard]] Zone& zone(ZoneId id) { return platform_.zones[id]; }
  [[nodiscard]] Host& host(const Point& point) { return platform_.hosts[point.item]; }

  /// Sorts the routes, counts the hosts. Refuses a route that stands twice.
  Expected<Platform> finish() &&;

 private:
  Expected<PointId> add_point(Point point);
  LinkId add_half(std::string name, Bandwidth bandwidth, Time latency, bool fatpipe);
  Failure count_hosts(std::uint64_t hosts, std::uint64_t cores, std::uint32_t line);
  PointId take_out_of_group(GroupId id, std::uint32_t number, const std::string& name);

  Platform platform_;
  std::uint64_t hosts_ = 0;
  std::uint64_t cores_ = 0;
  std::uint32_t taken_out_ = 0;
  std::unordered_map<std::string, PointId> point_names_;
  std::unordered_map<std::string, LinkId> link_names_;
  std::map<std::pair<std::string, std::string>, std::vector<GroupId>> groups_by_affixes_;
};

}  // namespace espalier::topology::simgrid
