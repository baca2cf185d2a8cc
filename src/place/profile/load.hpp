#pragma once

#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "profile/profile.hpp"

namespace espalier::profile {

/// A profile from whatever a user names on the command line: a file (our JSON, Open MPI's
/// monitoring, CSV; told apart by content), or a workload ("lu.C", or "lu.C:heavy=8" with its
/// heavy channels) for `processes` processes.
Expected<Profile> load_profile(const std::string& argument, Rank processes);

/// The same from text that is already there; `file` is only named in errors.
Expected<Profile> parse_profile(const std::string& text, const std::string& file);

/// Lines of "from,to,messages,bytes" (a heading is allowed, and "from,to,bytes": one message each);
/// or a square matrix of bytes, a line for each sender, with commas, semicolons or blanks between.
/// Lines that begin with # are passed over. There is no trace: guess_trace() is called.
Expected<Profile> read_csv(std::string_view text, const std::string& file);

/// What Open MPI's monitoring writes (--mca pml_monitoring_enable 1 or 2, seen of Open MPI 4.1),
/// the files of all processes one behind the other:
///
///   E 0 1 BYTES bytes MESSAGES msgs sent ...     of the program (enable 1: of collectives too)
///   I 0 1 BYTES bytes MESSAGES msgs sent         of the library, so of collectives as executed
///   S 0 1 ..., R 0 1 ...                         one-sided: put there, got from there
///
/// Lines of collectives as called (C, D, O2A, A2O, A2A) name no pairs, and are passed over but for
/// the size of the world. There is no trace: guess_trace() is called.
Expected<Profile> read_openmpi_monitoring(std::string_view text, const std::string& file);

/// Whether the text looks like monitoring output.
[[nodiscard]] bool looks_like_monitoring(std::string_view text);

}  // namespace espalier::profile
