#pragma once

#include "reproduce/on_here.hpp"
#include "reproduce/on_lab.hpp"

namespace espalier::reproduce {

/// Every scheme beside MPI_Comm_split and MPI_Comm_create_group, and collectives of groups, along
/// the topology too, beside the MPI's own: with real MPI on a machine of two sites.
Expected<std::vector<Exhibit>> langer_on_lab(const LabStudyOptions& options, const RunOnLab& run);

/// The same on this computer, parts "made" and "called": at most four ranks a core.
Expected<std::vector<Exhibit>> langer_groups_here(const HereOptions& options, const RunHere& run);

}  // namespace espalier::reproduce
