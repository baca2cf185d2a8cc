#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "trace/trace.hpp"

namespace espalier::overlay {

/// Whether this build can write OTF2 (Debian: libotf2-trace-dev).
[[nodiscard]] bool can_write_otf2();

/// Writes an archive of the Open Trace Format 2, which Vampir, Scalasca and otf2-print read: a
/// location for each rank, a region for each call, non-blocking sends and receives in it.
/// @param folder is made; an error if there is anything of that name
[[nodiscard]] std::optional<Error> write_otf2(const trace::Trace& trace, const std::string& folder);

}  // namespace espalier::overlay
