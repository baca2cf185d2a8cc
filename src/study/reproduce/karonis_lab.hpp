#pragma once

#include "reproduce/on_lab.hpp"

namespace espalier::reproduce {

/// Figures 7 to 9 of karonis2000 with real MPI over emulated sites: the MPI's own broadcast,
/// two-level trees by machine and by site, the multilevel tree, and what Espalier chooses; all
/// processes take their turn as root.
Expected<std::vector<Exhibit>> karonis_on_lab(const LabStudyOptions& options,
                                              const MeasureOnLab& measure);

/// What is said beforehand where so many ranks take long; "" where they do not.
[[nodiscard]] std::string karonis_lab_takes_long(const LabStudyOptions& options);

/// Processes on each of the paper's machines: its 16 where there are cores enough (a core bears a
/// dozen ranks that mostly wait), else fewer, at least 4.
[[nodiscard]] Rank processes_a_machine(unsigned cores);

}  // namespace espalier::reproduce
