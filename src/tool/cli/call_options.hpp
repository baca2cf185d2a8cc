#pragma once

#include <string>

#include "base/expected.hpp"
#include "schedule/collective.hpp"

namespace espalier::cli {

class App;

/// Above that a plan is not verified whole here: see docs/verification.md.
inline constexpr Rank kVerifiedUpTo = 256;
/// Above that links are shared by the simulator's faster rule, unless told otherwise.
inline constexpr Rank kExactUpTo = 256;
/// All candidates of a larger machine would take minutes to simulate.
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
/// @param required whether there must be an OPERATION
void declare(App& app, CallOptions& options, bool required = true);

/// What to say of a word that is no operation: the nearest, and all.
[[nodiscard]] std::string operations_hint(const std::string& word);

/// The call: in elements for reductions, in bytes for all else.
Expected<schedule::Collective> call_from(const CallOptions& options, Rank ranks);

}  // namespace espalier::cli
