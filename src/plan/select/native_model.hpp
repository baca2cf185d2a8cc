#pragma once

#include <optional>
#include <span>
#include <vector>

#include "select/native_rules.hpp"
#include "select/predict.hpp"
#include "select/transport.hpp"

namespace espalier::select {

/// Whether this is a reduction above kShortReduction of fewer elements than a butterfly has ranks.
[[nodiscard]] bool has_few_elements(const schedule::Collective& call);

/// The plans of some rules that fit the call. They are equal to a chooser's own plans only if they
/// are of its table: under SMPI each rank has a copy of algorithms(), and all share one chooser.
[[nodiscard]] std::vector<Plan> plans_by(std::span<const NativeRule> rules,
                                         const collective::Hierarchy& hierarchy,
                                         const schedule::Collective& call,
                                         AlgorithmTable table = algorithms());

/// How long the MPI library's own algorithm would take under the same model. Above its eager limit
/// each latency is paid several times, for handshakes that our short segments do not need.
/// @param few_elements of the calls that `call` stands for: it has elements of one byte itself
/// @param best a plan's time; if a lower bound shows that this gains, the bound is enough and is
///        returned; plans that are not affordable are told by a few ranks (Predictor::told()). 0:
///        all are predicted
/// @return absent if no plan of ours is like it
[[nodiscard]] std::optional<Time> predict_native(NativeMpi mpi, const Predictor& predictor,
                                                 const schedule::Collective& call,
                                                 bool few_elements, Time best = {});

/// The algorithm that is assumed for the MPI library, and its time.
struct NativeChoice {
  Plan plan;
  Time predicted;   ///< handshakes included; predict_native() returns it if all are predicted
  Time handshakes;  ///< the part of it that they take
};

/// The fastest of the algorithms that the MPI library may choose, knowing nothing of the machine,
/// by prediction; the first of equals. MPICH: the one for the size. Others: several.
/// @return absent if no plan of ours is like it
[[nodiscard]] std::optional<NativeChoice> native_choice(NativeMpi mpi, const Predictor& predictor,
                                                        const schedule::Collective& call);

/// Whether predict_native() is likely too optimistic, so that a tie counts as a gain. It assumes
/// the best of several algorithms; over far links any other one pays a latency more.
[[nodiscard]] bool is_flattered(NativeMpi mpi, const collective::Hierarchy& hierarchy);

/// The time that handshakes add to an algorithm of the MPI library. 0 if no latency is far
/// (transport.hpp): there our plans have handshakes as well.
/// @param exact whether all ranks may be walked over, however many (Predictor::told())
[[nodiscard]] Time handshakes(NativeMpi mpi, const Plan& plan, const Predictor& predictor,
                              const schedule::Collective& call, bool exact = true);

}  // namespace espalier::select
