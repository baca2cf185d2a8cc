#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "base/types.hpp"
#include "schedule/collective.hpp"

namespace espalier::runtime {

/// Which collectives that do not block run along plans.
enum class NonBlocking : std::uint8_t {
  Native,    ///< none
  Measured,  ///< non-blocking ones where links are far and plans are measured to be ahead
  Planned    ///< non-blocking and persistent ones, wherever their blocking form does
};

/// Whether calls of ranks on one node go through memory that they share (ESPALIER_SHARED), and
/// whether long ones of these are copied once (ESPALIER_ONE_COPY).
enum class SharedMemory : std::uint8_t {
  Never,  ///< 0: no call does
  Tried,  ///< "tried", or not set: where trials compare it with native calls, and it proves faster
  Always  ///< 1: likewise, and also where plans are forced
};

/// What the user asked for through ESPALIER_* (docs/runtime.md). Rank 0's settings hold for all
/// ranks: the environment of one host must not split them.
struct Settings {
  bool disabled = false;
  bool force = false;         ///< plan wherever it is legal, gain or not
  bool reproducible = false;  ///< one order of combining, whatever the machine
  int log = 0;                ///< 0 silent, 1 what was decided at start, 2 every new plan
  std::string explain;        ///< empty: explain nothing; "1": on stderr; else the file to write
  std::string trace;          ///< file that planned calls are taken down in; empty: none
  std::string machine;        ///< text of ESPALIER_MACHINE; empty if none was named
  bool discover = true;       ///< measure the machine if none is named and there are several nodes
  bool cache = true;          ///< keep what was measured, and use what was kept
  bool reorder = false;       ///< virtual topologies with reorder = true fit the machine
  bool trial = true;          ///< plans are timed against native calls
  NonBlocking nonblocking = NonBlocking::Measured;
  /// A thread goes on with calls that do not block. Of this process alone: the ranks do not agree.
  bool progress_thread = false;
  SharedMemory shared = SharedMemory::Tried;    ///< ranks of one node go through shared memory
  SharedMemory one_copy = SharedMemory::Tried;  ///< they read each other's memory there
  std::string verdicts;  ///< file that keeps decisions of trials; empty: none
  std::map<schedule::Operation, std::string>
      algorithm;  ///< algorithm that the user named for each operation, or kNativeName
  /// What a rank may hold for others in a scatterv or gatherv along a tree by counts.
  Bytes bundle_limit{64 * 1024 * 1024};
  /// What a process may own of shared memory, all communicators together.
  Bytes shared_limit{4 * 1024 * 1024};

  friend bool operator==(const Settings&, const Settings&) = default;
};

/// The name in ESPALIER_ALGORITHM that leaves an operation to the MPI library.
inline constexpr std::string_view kNativeName = "native";
/// Whether all calls of an operation are native because ESPALIER_ALGORITHM says so. Reductions with
/// the same bits everywhere are planned nevertheless.
[[nodiscard]] bool is_named_native(const Settings& settings, schedule::Operation operation);
/// Whether ESPALIER_ALGORITHM names a plan for some operation; then nothing is tried.
[[nodiscard]] bool names_a_plan(const Settings& settings);

/// A variable's value, or nothing.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Reads all ESPALIER_* variables. An error names the variable that it does not understand. Unknown
/// names in ESPALIER_ALGORITHM are ignored (named_algorithms.hpp says what is wrong with them).
Expected<Settings> read_settings(const Environment& environment);

/// What in this rank's environment contradicts the agreed settings: a variable that is malformed or
/// has another value. Absent if nothing does. A variable that is not set is no contradiction;
/// ESPALIER_LOG, ESPALIER_EXPLAIN, ESPALIER_TRACE and ESPALIER_CACHE are only looked at on rank 0.
[[nodiscard]] std::optional<Error> contradiction(const Settings& agreed,
                                                 const Environment& environment);

/// These settings without all that plans and decisions do not depend on: logs, files, the cache.
[[nodiscard]] Settings planning_settings(Settings settings);

/// The settings as one text, for the broadcast to other ranks, and back.
[[nodiscard]] std::string to_text(const Settings& settings);
[[nodiscard]] Settings settings_from_text(const std::string& text);

}  // namespace espalier::runtime
