#pragma once

#include "reproduce/on_here.hpp"
#include "reproduce/on_lab.hpp"
#include "reproduce/on_smpi.hpp"

namespace espalier::cli {

/// Measures in a lab of its own, which is up only meanwhile, whatever happens in it.
Expected<measure::Bench> measure_in_own_lab(const reproduce::LabRequest& request);

/// Runs programs that stand beside the tool in a lab of its own, which is up only meanwhile.
Expected<std::vector<std::string>> run_in_own_lab(const reproduce::LabRunRequest& request);

/// Runs smpi_groups, which stands beside the tool's folder, under SimGrid's SMPI.
Expected<std::string> run_groups_on_smpi(const reproduce::SmpiRun& run);

/// Starts espalier-split, which stands beside the tool, under an MPI on this computer.
Expected<std::vector<reproduce::TimedSplit>> time_splits_here(
    const reproduce::SplitRequest& request);

/// Runs a program that stands beside the tool under an MPI on this computer.
Expected<std::string> run_program_here(const reproduce::HereProgram& program);

/// Its output. @return what is wrong with it if it is not what the program prints
Expected<std::vector<reproduce::TimedSplit>> read_splits(const std::string& output);

}  // namespace espalier::cli
