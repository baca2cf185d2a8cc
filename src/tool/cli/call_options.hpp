#pragma once

#include <string>

#include "base/expected.hpp"
#include "schedule/collective.hpp"

namespace espalier::cli {

class App;

/// Plans for more ranks are not verified by commands: see docs/verification.md.
inline constexpr Rank kVerifiedUpTo = 256;
/// With more ranks the simulator shares links by its faster rule, unless told otherwise.
inline constexpr Rank kExactUpTo = 256;
/// With more ranks the candidates are not simulated: that would take minutes.
inline constexpr Rank kPlannedUpTo = 2048;

/// The options of all commands that plan a whole collective, as written.
struct CallOptions {
  std::string operation;
  std::string machine;
  std::string root = "0";
  std::string size = "1KiB";
  std::string element = "8";
  bool ordered = false;
};
/// Declares them. @param required whether OPERATION must be given
void declare(App& app, CallOptions& options, bool required = true);

/// The hint for a word that is no operation: the nearest operation, and all of them.
[[nodiscard]] std::string operations_hint(const std::string& word);

/// The call that the options ask for. Its unit is an element in reductions, else a byte.
Expected<schedule::Collective> call_from(const CallOptions& options, Rank ranks);

}  // namespace espalier::cli
