#pragma once

#include <cstdint>

#include "record/recorder.hpp"

namespace espalier::record {

/// Whether a caller gave this address of a status, or of statuses, to say that it wants none. MPIs
/// differ in the addresses that stand for that in their languages.
[[nodiscard]] bool is_ignored_status(std::intptr_t address, Language language);

}  // namespace espalier::record
