#pragma once

#include "reproduce/on_here.hpp"

namespace espalier::reproduce {

/// Table 1 with real MPI, at the sizes that this computer bears.
Expected<std::vector<Exhibit>> langer_here(const HereOptions& options, const TimeSplits& time);

}  // namespace espalier::reproduce
