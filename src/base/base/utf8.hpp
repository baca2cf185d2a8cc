#pragma once

#include <string_view>

namespace espalier {

/// Well-formed UTF-8: no stray bytes, overlong forms or surrogates.
[[nodiscard]] bool is_utf8(std::string_view text);

}  // namespace espalier
