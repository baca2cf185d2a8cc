#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "collective/multilevel_calls.hpp"
#include "collective/striped.hpp"
#include "collective/two_level.hpp"
#include "cost/cost_view.hpp"

namespace espalier::collective {

class FoldedMachine;
class NameReader;

/// What plans of one algorithm differ in. RankOrder: classical algorithms go by the ranks' numbers,
/// or by the order in which they lie in the machine. LevelChoice: one tree over all ranks.
using Parameters =
    std::variant<RankOrder, LevelChoice, MultilevelChoice, StripedChoice, TwoLevelChoice>;

/// A set of operations.
class Operations {
 public:
  constexpr Operations(std::initializer_list<schedule::Operation> all) {
    for (const schedule::Operation one : all) bits_ |= bit(one);
  }
  [[nodiscard]] constexpr bool contains(schedule::Operation one) const {
    return (bits_ & bit(one)) != 0;
  }

 private:
  static constexpr std::uint32_t bit(schedule::Operation one) {
    return std::uint32_t{1} << static_cast<unsigned>(one);
  }
  std::uint32_t bits_ = 0;
};

/// How long the longest message of an algorithm is.
enum class LongestMessage : std::uint8_t {
  Whole,      ///< the vector or a block
  Half,       ///< half of the vector
  Piece,      ///< one piece of as many as there are ranks
  HalfOfAll,  ///< the blocks of half of the ranks
};

/// What choices go by besides times.
struct Traits {
  bool keeps_rank_order = false;    ///< right for reductions that do not commute, too
  bool in_reference_order = false;  ///< its bits do not depend on the machine
  bool along_machine = false;       ///< it also goes by how ranks lie in the machine
  bool knows_machine = false;   ///< its messages follow the machine's levels or the ranks' speeds
  bool by_number = false;       ///< its trees and partners follow the order of the ranks
  bool sends_directly = false;  ///< every block goes straight from its owner to its receiver
  bool scales = false;          ///< programs of calls that it does not cut differ by a factor only
  bool is_tuned = false;        ///< its levels are worth tuning one by one
  bool scatters_first = false;  ///< a scatter along a binomial tree comes before shorter messages
  LongestMessage longest = LongestMessage::Whole;
  Operations meets_everybody =
      {};  ///< operations in which each rank sends a message to every other
  std::uint64_t always_cuts_to = 0;  ///< bytes of its messages, if it is always a pipeline
};

/// Makes the part of each rank.
using PartOf = std::function<schedule::Program(Rank)>;

/// One way to do a collective operation: all that the rest of the program knows of it.
///
/// The functions take a machine (as its hierarchy), a call among all its processes and parameters.
/// Machine and call outlive what they return.
struct Algorithm {
  std::string_view name;    ///< how its plans' names begin: "ring", "multilevel"
  std::string_view source;  ///< the paper or the idea, in one line
  Operations operations;
  Traits traits = {};
  /// What it refuses besides: counts of ranks, parameters. Null: nothing.
  bool (*refuses)(const Hierarchy&, const schedule::Collective&, const Parameters&) = nullptr;
  /// Parameters worth a prediction. Null: by number, and along the machine if it can.
  std::vector<Parameters> (*propose)(const Hierarchy&, const schedule::Collective&) = nullptr;
  /// One form for all parameters that build the same schedule, as far as that is seen at once.
  /// Null: each builds its own.
  Parameters (*canonical)(const Hierarchy&, const schedule::Collective&, Parameters) = nullptr;
  PartOf (*build)(const Hierarchy&, const schedule::Collective&, const Parameters&) = nullptr;
  /// Predicted time in closed form. Null: there is none, and its plans are simulated.
  cost::Picos (*estimate)(const cost::CostView&, const Hierarchy&, const schedule::Collective&,
                          const Parameters&) = nullptr;
  /// What its estimate is not less than, found without a walk over all ranks. Null: nothing is
  /// known.
  cost::Picos (*at_least)(const Hierarchy&, const schedule::Collective&,
                          const Parameters&) = nullptr;
  /// About its estimate, found by a few of its ranks, for machines that have too many. Null: none.
  cost::Picos (*about)(const Hierarchy&, const schedule::Collective&, const Parameters&) = nullptr;
  /// The estimate on a machine folded for the call's root (else for rank 0), much quicker on
  /// machines of equal parts. Null, or nothing returned: there is none.
  std::optional<cost::Picos> (*estimate_folded)(const FoldedMachine&, const schedule::Collective&,
                                                const Parameters&) = nullptr;
  /// The rest of a plan's name. Null: " along the machine", or nothing.
  std::string (*text)(const schedule::Collective&, const Parameters&) = nullptr;
  /// Reads what text() wrote. Null: as above.
  std::optional<Parameters> (*read)(NameReader&, const Hierarchy&) = nullptr;
  /// What each level of the machine does, outermost first. Null: it does not know levels.
  std::vector<std::string> (*per_level)(const topology::Machine&, const schedule::Collective&,
                                        const Parameters&) = nullptr;
};

/// All algorithms that the program has, in the order of docs/collectives.md. Of plans that are
/// equally good the first is taken, so that order decides.
using AlgorithmTable = std::span<const Algorithm* const>;
[[nodiscard]] AlgorithmTable algorithms();
/// Those whose broadcasts go along one tree: every message has one sender and one receiver that are
/// named. In the same order.
[[nodiscard]] AlgorithmTable tree_algorithms();

/// The algorithm of that operation and name, or nullptr.
[[nodiscard]] const Algorithm* find_algorithm(schedule::Operation operation, std::string_view name,
                                              AlgorithmTable table = algorithms());

/// Whether such calls have a block for each rank, whose lengths may differ.
[[nodiscard]] bool has_blocks(schedule::Operation operation);

/// Whether the algorithm has any plan of such calls: by their operation, order and blocks.
[[nodiscard]] bool has_form_of(const Algorithm& algorithm, const schedule::Collective& call);

/// Whether the algorithm can do this call so, whatever its root and counts.
[[nodiscard]] bool serves(const Algorithm& algorithm, const Hierarchy& hierarchy,
                          const schedule::Collective& call, const Parameters& parameters);

/// Parameters worth a prediction, all of which serve the call; of those that build the same
/// schedule the first.
[[nodiscard]] std::vector<Parameters> proposals(const Algorithm& algorithm,
                                                const Hierarchy& hierarchy,
                                                const schedule::Collective& call);

/// Parameters of equal canonical form build the same schedule.
[[nodiscard]] Parameters canonical(const Algorithm& algorithm, const Hierarchy& hierarchy,
                                   const schedule::Collective& call, Parameters parameters);

/// "multilevel exchange/binomial 64 KiB", "ring".
[[nodiscard]] std::string name_of(const Algorithm& algorithm, const schedule::Collective& call,
                                  const Parameters& parameters);

/// The parameters of a plan of this name; absent if it is none of this algorithm's.
[[nodiscard]] std::optional<Parameters> parameters_named(const Algorithm& algorithm,
                                                         std::string_view name,
                                                         const Hierarchy& hierarchy,
                                                         const schedule::Collective& call);

}  // namespace espalier::collective
