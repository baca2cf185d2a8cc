#pragma once

#include <string>

#include "tuning/decide.hpp"

namespace espalier::tuning {

/// The rules file of Open MPI's coll/han (4.1 and later): for each collective which component takes
/// it inside hosts, among hosts, and in communicators that span hosts. The last is HAN where
/// `by_host` is set, in communicators of just as many ranks; else coll/tuned, which has rules of
/// its own.
[[nodiscard]] std::string han_rules(const Tuning& tuning);

/// Lines for a shell: HAN's simple forms, one call inside and one among hosts, which go by the
/// rules. Its others choose their components by settings.
[[nodiscard]] std::string simple_han_settings();

}  // namespace espalier::tuning
