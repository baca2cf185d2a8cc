#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collective/hierarchy.hpp"
#include "schedule/schedule.hpp"
#include "select/plan.hpp"

namespace espalier::select {

/// A plan with its name and what it is, and how each rank builds its own part.
struct Candidate {
  Plan plan;
  std::string name;  ///< "multilevel exchange 8 KiB", "ring"
  std::string why;   ///< what it is, in a line
  bool knows_topology = false;
  std::function<schedule::Program(Rank)> program_of;
};

/// A plan with all that belongs to it. What it holds refers to `hierarchy` and `call`.
[[nodiscard]] Candidate candidate_of(Plan plan, const collective::Hierarchy& hierarchy,
                                     const schedule::Collective& call, std::string why = {});

/// What may depend on the plan: the bits of a reduction, or nothing.
enum class Bits : std::uint8_t {
  Any,        ///< whatever MPI allows
  Reference,  ///< those of the reference order, whatever the machine (docs/reproducible.md)
};

/// Every way we know to do this call on this machine, in a fixed order: multilevel plans (the
/// outermost level flat, chain or binomial, by tree or exchange, for several segment sizes; wide
/// levels also by trees of radix 4 and 8, whole messages), plans with several leaders a cluster,
/// two-level baselines, trees blind to the topology, trees by the ranks' speed where that differs,
/// and the classical algorithms, by number and along the machine. Of reductions with
/// Bits::Reference: those in the reference order alone.
///
/// What they hold refers to `hierarchy` and `call`, which must outlive them.
/// @pre call.size == hierarchy.machine().size()
[[nodiscard]] std::vector<Candidate> candidates(const collective::Hierarchy& hierarchy,
                                                const schedule::Collective& call,
                                                Bits bits = Bits::Any);

/// The one of this name; also what candidates() leaves out because it has nothing to go by here
/// (trees by speed among equals). What it holds refers to `hierarchy` and `call`.
[[nodiscard]] std::optional<Candidate> candidate_called(const std::string& name,
                                                        const collective::Hierarchy& hierarchy,
                                                        const schedule::Collective& call);

/// Messages up to that many bytes are also cut into segments of so many, and twice as many.
inline constexpr std::uint64_t kShortOfSegments = 16384;
inline constexpr std::uint64_t kShortSegment = 512;

/// Segment sizes worth trying, in units: whole, and powers of four from 4 KiB to 1 MiB, of short
/// messages from 512 B.
[[nodiscard]] std::vector<std::uint64_t> segments_for(const schedule::Collective& call);

/// All ranks' parts of a candidate.
[[nodiscard]] schedule::Schedule schedule_of(const Candidate& candidate,
                                             const schedule::Collective& call);

}  // namespace espalier::select
