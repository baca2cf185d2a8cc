#pragma once

#include <optional>
#include <string>

#include "base/expected.hpp"
#include "schedule/schedule.hpp"
#include "topology/machine.hpp"

namespace espalier::cli {

class App;

/// Plans with more messages are not verified by commands, unless they have few ranks: see
/// docs/verification.md. Where every rank has a block for every other, the blocks count.
[[nodiscard]] std::uint64_t verified_messages(schedule::Operation operation);
inline constexpr Rank kAlwaysVerifiedUpTo = 256;
[[nodiscard]] bool is_verified(const schedule::Collective& call, std::uint64_t messages);
[[nodiscard]] bool is_verified(const schedule::Schedule& schedule);
/// Said of plans that are not.
[[nodiscard]] std::string not_verified(schedule::Operation operation);
/// With more ranks the candidates are not simulated: that would take minutes.
inline constexpr Rank kPlannedUpTo = 2048;

/// The options of all commands that plan a whole collective, as written; empty ones were not given.
struct CallOptions {
  std::string operation;
  std::string machine;
  std::string root;
  std::string size;
  std::string element;
  bool ordered = false;
};
inline constexpr std::string_view kUsualRoot = "0";
inline constexpr std::string_view kUsualSize = "1KiB";

/// What was given, or what is usual.
[[nodiscard]] inline std::string given_or(const std::string& given, std::string_view usual) {
  return given.empty() ? std::string(usual) : given;
}
/// Declares them. @param required whether OPERATION must be given
void declare(App& app, CallOptions& options, bool required = true);

/// Whether it is one of scatterv, gatherv, allgatherv and alltoallv, by any of its names.
[[nodiscard]] bool is_irregular(const std::string& operation);

/// The hint for a word that is no operation: the nearest operation, and all of them.
[[nodiscard]] std::string operations_hint(const std::string& word, bool with_irregular = true);

/// Why the word is no operation with blocks of one length: told before a machine is asked for.
[[nodiscard]] std::optional<Error> why_no_operation(const std::string& word);

/// The call that the options ask for. Its unit is an element in reductions, else a byte.
Expected<schedule::Collective> call_from(const CallOptions& options,
                                         const topology::Machine& machine);

}  // namespace espalier::cli
