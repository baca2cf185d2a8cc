#pragma once

#include <string_view>

#include "base/expected.hpp"
#include "topology/machine.hpp"

namespace espalier::topology {

/// A machine in one line, in the spirit of hwloc's synthetic topologies, from the outermost level
/// inwards; the last level are the processes:
///
///   "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:16(5us)"
///
///   level = MEMBER ":" COUNT [ "(" ATTRIBUTE { "," ATTRIBUTE } ")" ]
///
/// An attribute is a time (the latency between the members), a bandwidth (the uplink of each), or
/// key=value: name latency uplink out in duplex hop backbone cap send recv reduce speed. The levels
/// may be followed by placement=block|cyclic.
///
/// A count or value may be a list, "1|2" or "100us|300us*4", for the elements of its level in
/// order: counts, latency, backbone and cap for the clusters that the members are in, all else for
/// the members. docs/machine.md has the whole story.
Expected<Machine> parse_synthetic(std::string_view text);

/// Whether the text begins like one ("word:digit"), to tell it from a file's name.
[[nodiscard]] bool looks_synthetic(std::string_view text);
/// Whether it begins like a level, of which the count may be missing ("word:").
[[nodiscard]] bool begins_with_level(std::string_view text);

}  // namespace espalier::topology
