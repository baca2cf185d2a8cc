#pragma once

#include <memory>
#include <string_view>

#include "base/expected.hpp"
#include "model/cost_model.hpp"
#include "topology/machine.hpp"

namespace espalier::model {

/// A model by the name a user gives it:
///
///   levels            the machine's levels (the default)
///   node-initiation   the nodes' send costs alone, as in banikazemi1998
///   hockney           from the machine
///   hockney:alpha=50us,bandwidth=1Gbit/s      the same for all pairs
///   lmo               from the machine
///   loggp:L=5us,o=1us,g=2us,bandwidth=10Gbit/s
///   postal:lambda=2.5[,unit=1us]
///
/// @param size the message that node-initiation costs are for
/// The machine must outlive the model.
Expected<std::unique_ptr<CostModel>> parse_model(std::string_view text,
                                                 const topology::Machine& machine, Bytes size);

/// The names above, for help texts.
[[nodiscard]] std::string_view model_names();

}  // namespace espalier::model
