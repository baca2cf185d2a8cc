#pragma once

#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "formats/loaded_schedule.hpp"

// MSCCL-XML, the algorithm files of Microsoft's MSCCL: M. Cowan, S. Maleki, M. Musuvathi, O.
// Saarikivi, Y. Xiong: "MSCCLang: Microsoft Collective Communication Language", ASPLOS 2023; as its
// runtime reads them (msccl_parser.cc, msccl_interpreter.h). docs/formats.md has what is read and
// what it is taken to mean.

namespace espalier::formats {

/// A schedule whose elements are MSCCL's chunks, with the call that the file names, so that it can
/// be verified whole.
///
/// The steps of a thread block run one after the other; a step waits for the step that it depends
/// on. A send hands its chunks to a queue and is done: where they are overwritten later they are
/// copied first, as MSCCL's queues do. The n-th send of a connection (pair, channel) meets its n-th
/// receive. In-place files work on Out, or on Scratch where the result is smaller, and a copy of In
/// comes first.
/// @param file only named in errors
Expected<LoadedSchedule> read_msccl(std::string_view text, const std::string& file);

/// Regular calls of operations that MSCCL knows. One thread block for each peer and direction and
/// one for local steps, on one channel; their orders come from one run of the whole schedule, so
/// that first-in-first-out connections cannot make them wait for each other.
///
/// A chunk is the greatest common divisor of all offsets and lengths. Refused, with the reason: v
/// forms, barrier, scan, exscan, operations that do not commute, empty calls, Compute, and what the
/// verifier's first three steps refuse.
Expected<WrittenSchedule> write_msccl(const schedule::Schedule& schedule);

}  // namespace espalier::formats
