#pragma once

#include <optional>

#include "schedule/program.hpp"

namespace espalier::schedule {

/// The same program for a rank whose In lies in its Out (MPI_IN_PLACE), from unit `at` of it on:
/// every region of In becomes one of Out, and steps that now touch the same slice wait for each
/// other. Messages stay as they are, so the other ranks need not know.
///
/// Nothing if the program reads a slice of In after it has written that slice of Out: it then needs
/// a copy of its input.
[[nodiscard]] std::optional<Program> in_place(const Program& program, std::uint64_t at = 0);

}  // namespace espalier::schedule
