#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/expected.hpp"
#include "view/http.hpp"

namespace espalier::view {

/// Who may ask: whoever knows the token, from a page of this very address.
struct Gate {
  std::string token;  ///< 32 hexadecimal digits, the first part of every path
  std::uint16_t port = 0;

  /// "http://127.0.0.1:PORT/TOKEN/"
  [[nodiscard]] std::string address() const;
};

/// 128 bits of the system's random numbers, as hexadecimal digits.
Expected<std::string> random_token();

/// Why a request is not answered:
///   - its Host is not our address (a name of others that leads here: DNS rebinding),
///   - it has an Origin that is not our address (a page of others asks),
///   - its path does not begin with the token.
/// All three get the same answer, so that nothing is learnt from it.
[[nodiscard]] std::optional<HttpResponse> refusal(const Gate& gate, const HttpRequest& request);

/// The path behind the token: "" or "api/plan". @pre the request is not refused
[[nodiscard]] std::string inner_path(const Gate& gate, const HttpRequest& request);

}  // namespace espalier::view
