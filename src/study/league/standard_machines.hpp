#pragma once

#include <array>

namespace espalier::league {

/// The files of data/machines/ that make up the standard set, in the order of the page.
inline constexpr std::array kStandardMachines{
    "flat-64",     "three-machine-grid", "dichev-39",   "park-20",      "hnow-64",
    "cloud-zones", "three-continents",   "numa-server", "dragonfly-72", "fat-tree-256"};

}  // namespace espalier::league
