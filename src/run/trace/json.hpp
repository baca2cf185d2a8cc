#pragma once

#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "trace/trace.hpp"

namespace espalier::trace {

inline constexpr std::string_view kTraceFormat = "espalier-trace-1";

/// docs/formats.md describes it.
[[nodiscard]] std::string write_json(const Trace& trace);
/// @param name of the file, for errors
Expected<Trace> read_json(std::string_view json, const std::string& name);
Expected<Trace> read_file(const std::string& path);

/// The same for Perfetto, chrome://tracing and others: trace-event JSON. A process for each rank, a
/// slice for each call and for each message at both ends, an arrow from each send to its receive.
[[nodiscard]] std::string write_trace_events(const Trace& trace);

}  // namespace espalier::trace
