#pragma once

#include "reproduce/on_lab.hpp"

namespace espalier::reproduce {

/// LU, MG, IS and EP with real MPI on the pinned machine of park2004, 5 clusters of 4 hosts, under
/// the paper's three policies and our placement, several runs each.
Expected<std::vector<Exhibit>> park_on_lab(const LabStudyOptions& options, const RunOnLab& run);

}  // namespace espalier::reproduce
