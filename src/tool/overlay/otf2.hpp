#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "trace/trace.hpp"

namespace espalier::overlay {

/// Whether this build can write OTF2 (Debian: libotf2-trace-dev).
[[nodiscard]] bool can_write_otf2();

/// Writes an archive of the Open Trace Format 2, which Vampir, Scalasca and otf2-print read: a
/// location for each rank; for each call the region of its MPI function, with the role of that
/// function and a record of the collective; in it the region of the plan, with non-blocking sends
/// and receives.
/// @param folder is made; an error if there is anything of that name
[[nodiscard]] std::optional<Error> write_otf2(const trace::Trace& trace, const std::string& folder);

}  // namespace espalier::overlay
