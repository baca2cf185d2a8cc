#pragma once

#include "reproduce/on_lab.hpp"

namespace espalier::cli {

/// Measures in a lab of its own, which is up only meanwhile, whatever happens in it.
Expected<measure::Bench> measure_in_own_lab(const reproduce::LabRequest& request);

}  // namespace espalier::cli
