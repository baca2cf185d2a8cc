#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collective/hierarchy.hpp"
#include "schedule/schedule.hpp"
#include "select/plan.hpp"

namespace espalier::select {

/// A plan with its name, its description, and how each rank builds its own part.
struct Candidate {
  Plan plan;
  std::string name;  ///< such as "multilevel exchange 8 KiB" or "ring"
  std::string why;   ///< one line that says what it is
  bool knows_topology = false;
  std::function<schedule::Program(Rank)> program_of;
};

/// The candidate of a plan. @pre `hierarchy` and `call` outlive it
[[nodiscard]] Candidate candidate_of(Plan plan, const collective::Hierarchy& hierarchy,
                                     const schedule::Collective& call, std::string why = {});

/// Whether the bits of a reduction's result may depend on the plan.
enum class Bits : std::uint8_t {
  Any,        ///< any order of combining that MPI allows
  Reference,  ///< always the reference order, on every machine (docs/reproducible.md)
};

/// All plans that we know for this call on this machine, in a fixed order: multilevel plans (the
/// outermost level flat, chain or binomial, by tree or exchange, for several segment sizes; wide
/// levels also by trees of radix 4 and 8, whole messages), plans with several leaders a cluster,
/// two-level baselines, trees blind to the topology, trees by the ranks' speed where that differs,
/// and the classical algorithms, by number and along the machine. With Bits::Reference,
/// reductions have only the plans in the reference order.
///
/// @pre `hierarchy` and `call` outlive the candidates
/// @pre call.size == hierarchy.machine().size()
[[nodiscard]] std::vector<Candidate> candidates(const collective::Hierarchy& hierarchy,
                                                const schedule::Collective& call,
                                                Bits bits = Bits::Any);

/// The candidate of this name; also those that candidates() leaves out because they make no sense
/// on this machine (trees by speed if all ranks are equally fast).
/// @pre `hierarchy` and `call` outlive the candidate
[[nodiscard]] std::optional<Candidate> candidate_called(const std::string& name,
                                                        const collective::Hierarchy& hierarchy,
                                                        const schedule::Collective& call);

/// Messages of up to kShortOfSegments bytes also try segments of kShortSegment bytes and twice
/// that.
inline constexpr std::uint64_t kShortOfSegments = 16384;
inline constexpr std::uint64_t kShortSegment = 512;

/// Segment sizes to try, in units: whole messages, and powers of four from 4 KiB to 1 MiB; for
/// short messages from 512 B. Above 64 ranks fewer are tried (has_usual_segments() in choose.cpp);
/// in a running program runtime/segments.hpp makes them fit the transport.
[[nodiscard]] std::vector<std::uint64_t> segments_for(const schedule::Collective& call);

/// The programs of all ranks.
[[nodiscard]] schedule::Schedule schedule_of(const Candidate& candidate,
                                             const schedule::Collective& call);

}  // namespace espalier::select
