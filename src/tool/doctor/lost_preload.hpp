#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace espalier::doctor {

/// Where a shell script keeps LD_PRELOAD from what it starts, so that no library reaches it.
struct LostPreload {
  int line = 0;       ///< number of the line; the first is 1
  std::string words;  ///< "unset LD_PRELOAD"
};

/// The first such place: LD_PRELOAD unset or set anew without its old value, an environment that is
/// emptied, srun that hands nothing on. By words alone: what a variable holds is not known.
[[nodiscard]] std::optional<LostPreload> lost_preload(std::string_view script);

}  // namespace espalier::doctor
