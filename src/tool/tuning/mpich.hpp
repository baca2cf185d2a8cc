#pragma once

#include <string>

#include "tuning/decide.hpp"
#include "tuning/mpich_library.hpp"

namespace espalier::tuning {

/// Decisions for MPICH 4: for calls among all ranks either one algorithm over all of them, or one
/// among the leaders of hosts and the library's own inside hosts. What it takes today is read from
/// its own rules.
[[nodiscard]] Tuning decide_mpich(const topology::Machine& machine, const TuningRules& rules,
                                  const MpichRules& library);

/// The file for MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE: the library's rules, with ours for the
/// sizes of communicators that were tuned.
[[nodiscard]] std::string mpich_collectives(const Tuning& tuning, const MpichRules& library);
/// The file for MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE: where calls go by hosts. Empty if
/// the library has no such rules.
[[nodiscard]] std::string mpich_compositions(const Tuning& tuning, const MpichRules& library);

/// "bcast": how its rules call the operation; empty if it has none.
[[nodiscard]] std::string_view mpich_name(Operation operation);
/// The composition that goes by hosts, or over all ranks at once: "..._alpha". Empty if there is no
/// choice.
[[nodiscard]] std::string mpich_composition(Operation operation, bool by_host);

}  // namespace espalier::tuning
