#pragma once

#include <string>
#include <vector>

#include "topology/machine.hpp"
#include "topology/simgrid/unique_names.hpp"

namespace espalier::topology::simgrid {

/// What a route passes: a link, or one direction of it.
struct Pass {
  std::string link;
  const char* direction = "";  ///< "UP" or "DOWN" for half of a SPLITDUPLEX link, else ""
};
using Passes = std::vector<Pass>;

[[nodiscard]] Pass reversed(const Pass& pass);
[[nodiscard]] Passes join(Passes first, const Passes& second);

/// A point between which routes run, as they see it.
struct End {
  std::string id;
  std::string gateway;  ///< "" unless the end is a zone
  Passes up;
  Passes down;

  /// Whether a route can be taken back to front.
  [[nodiscard]] bool symmetrical() const;
};

/// The elements of a platform for a machine, a line each.
class PlatformText {
 public:
  explicit PlatformText(const Machine& machine);

  void begin();
  [[nodiscard]] std::string end();
  void line(std::uint32_t depth, const std::string& text);
  void host(std::uint32_t depth, Leaf leaf);
  void link(std::uint32_t depth, const std::string& id, Bandwidth rate, Time latency,
            const char* policy);
  /// One that limits each flow by itself. Flows do not meet where nothing limits them, so a link
  /// without limit is SHARED then: SimGrid takes time quadratic in the flows of a FATPIPE.
  void pipe(std::uint32_t depth, const std::string& id, Bandwidth rate, Time latency);
  /// The links of an uplink, and how routes pass them. Nothing for one that costs nothing.
  void uplink(std::uint32_t depth, const std::string& id, const Uplink& uplink, End& end);
  /// Writes the backbone of a cluster, if it has a limit. Returns how routes pass it.
  Passes backbone(std::uint32_t depth, ClusterId cluster);
  /// The link of each pair with a distance or capacity of its own.
  std::vector<Pass> pairs(std::uint32_t depth, ClusterId cluster);
  void one_way(std::uint32_t depth, const End& from, const End& to, const Passes& passes,
               bool symmetrical);
  /// Both ways between two points over `middle`, with what is around it.
  void both_ways(std::uint32_t depth, const End& a, const End& b, const Passes& middle);

  [[nodiscard]] const std::string& zone_name(ClusterId id) const { return names_.zones[id]; }
  [[nodiscard]] const std::string& host_name(Leaf leaf) const { return names_.hosts[leaf]; }

 private:
  const Machine& machine_;
  PlatformNames names_;
  bool in_order_ = true;
  std::string out_;
};

[[nodiscard]] std::string to_xml(Bandwidth rate);
[[nodiscard]] std::string to_xml(Time time);

}  // namespace espalier::topology::simgrid
