#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/expected.hpp"
#include "base/types.hpp"
#include "schedule/collective.hpp"

namespace espalier::runtime {

/// What the user asked for through ESPALIER_* (docs/runtime.md). Rank 0 reads it, all others are
/// told: the environment of one host must not split the ranks.
struct Settings {
  bool disabled = false;
  bool force = false;         ///< plan wherever it is legal, gain or not
  bool reproducible = false;  ///< one order of combining, whatever the machine
  int log = 0;                ///< 0 silent, 1 what was decided at start, 2 every new plan
  std::string explain;        ///< "": no; "1": stderr; else a file
  std::string machine;        ///< text of ESPALIER_MACHINE; empty if none was named
  bool discover = true;       ///< measure the machine if none is named and there are several nodes
  bool cache = true;          ///< keep what was measured, and use what was kept
  bool reorder = false;       ///< virtual topologies with reorder = true fit the machine
  bool trial = true;          ///< plans must prove themselves against the MPI library's own
  std::string verdicts;       ///< the file that keeps what trials found out; "": none
  std::map<schedule::Operation, std::string> algorithm;  ///< forced, by operation
  /// What a rank may hold for others in a scatterv or gatherv along a tree by counts.
  Bytes bundle_limit{64 * 1024 * 1024};

  friend bool operator==(const Settings&, const Settings&) = default;
};

/// A variable's value, or nothing.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Refuses what it does not understand, naming the variable; but of ESPALIER_ALGORITHM it takes
/// what there is and passes over the rest (named_algorithms.hpp says what is wrong with it).
Expected<Settings> read_settings(const Environment& environment);

/// What a rank's own environment says against what rank 0 read, if it does: a variable that is
/// malformed here, or set to something else. (Not set is no contradiction; ESPALIER_LOG,
/// ESPALIER_EXPLAIN and ESPALIER_CACHE are rank 0's affair.)
[[nodiscard]] std::optional<Error> contradiction(const Settings& agreed,
                                                 const Environment& environment);

/// One text for the broadcast to the other ranks, and back.
[[nodiscard]] std::string to_text(const Settings& settings);
[[nodiscard]] Settings settings_from_text(const std::string& text);

}  // namespace espalier::runtime
