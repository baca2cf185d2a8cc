#pragma once

#include "reproduce/on_lab.hpp"

namespace espalier::reproduce {

/// Both experiments of dichev2010 with real MPI: unequal lengths in several ratios, the MPI's own
/// scatterv and gatherv, the six trees of the paper, and the plan that Espalier takes. The grid has
/// fewer hosts than the paper's 39, since each is a rank of this computer.
Expected<std::vector<Exhibit>> dichev_on_lab(const LabStudyOptions& options,
                                             const MeasureOnLab& measure);

}  // namespace espalier::reproduce
