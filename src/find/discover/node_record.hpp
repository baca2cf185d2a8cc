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
  /// Cores that each process is bound to; empty: not bound.
  std::vector<std::vector<topology::Leaf>> bound;
  std::string cores;  ///< machine JSON of the node's cores; empty: not looked at
  Time memory_latency;
  double load = 0;              ///< load average of the last minute
  std::uint32_t cpu_count = 0;  ///< CPUs that processes may run on; 0: not known

  friend bool operator==(const NodeRecord&, const NodeRecord&) = default;
};

/// The record as one text that can be sent, and back. Any other text is refused.
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
