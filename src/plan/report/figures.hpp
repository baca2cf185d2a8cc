#pragma once

#include <span>
#include <string>
#include <vector>

#include "topology/machine.hpp"

namespace espalier::report {

/// Figures in words, rounded to four digits; zero and unlimited figures are left out. The machine's
/// JSON has exact ones.

/// "100 Mbit/s", "15.76 Gbit/s"
[[nodiscard]] std::string rounded(Bandwidth rate);

/// "922.5 kB", "16 KiB": all in binary units if each is short in them, else all in decimal ones.
[[nodiscard]] std::vector<std::string> rounded(std::span<const Bytes> all);

/// "30 ms, backbone 10 Gbit/s, 52 Mbit/s a flow"
[[nodiscard]] std::string in_words(const topology::Channel& channel);
/// "100 Mbit/s", "out 8 Mbit/s, in 1 Mbit/s", "10 Mbit/s half duplex, + 2 ms"
[[nodiscard]] std::string in_words(const topology::Uplink& uplink);
/// "send 100 us, recv 20 us + 1 Gbit/s, reduce 8 Gbit/s, speed 2.15"
[[nodiscard]] std::string in_words(const topology::NodeCosts& costs);
/// "3 pairs 5 ms to 80 ms", or "" for a cluster whose pairs are all alike.
[[nodiscard]] std::string pairs_in_words(const topology::Machine& machine,
                                         const topology::Cluster& cluster);

}  // namespace espalier::report
