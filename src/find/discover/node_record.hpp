#pragma once

#include <span>
#include <string>
#include <vector>

#include "discover/discovered.hpp"

namespace espalier::discover {

/// What a node tells about itself, before anything is measured.
struct NodeRecord {
  std::string name;
  std::string place;
  std::vector<Rank> ranks;
  std::vector<std::vector<topology::Leaf>> bound;  ///< by process; empty: not bound
  std::string cores;                               ///< machine JSON; empty: not looked at
  Time memory_latency;
  double load = 0;              ///< of the last minute
  std::uint32_t cpu_count = 0;  ///< that processes may run on; 0: not known

  friend bool operator==(const NodeRecord&, const NodeRecord&) = default;
};

/// One text, to be sent, and back. What is not such a text is refused.
[[nodiscard]] std::string to_text(const NodeRecord& record);
Expected<NodeRecord> node_record_from(const std::string& text);

/// The nodes with their insides; a core description that cannot be read is passed over.
[[nodiscard]] std::vector<NodeInfo> node_infos(std::span<const NodeRecord> records);

/// Where a node stands, from what is known without measuring, the first of these that is set:
/// ESPALIER_SITE and ESPALIER_LAN; SLURM_TOPOLOGY_ADDR ("s0.s1.node7", without the node);
/// the subnet of its network address. Parts from the outermost in, with "/" between them.
[[nodiscard]] std::string place_of(const std::string& site, const std::string& lan,
                                   const std::string& slurm, const std::string& subnet);

}  // namespace espalier::discover
