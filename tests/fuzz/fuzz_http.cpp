#include <string>

#include "fuzz/require.hpp"
#include "view/gate.hpp"
#include "view/http.hpp"

// What espalier view gets from others on this host: any bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier::view;
  using espalier::fuzz::require;
  const std::string_view text = espalier::fuzz::as_text(data, size);
  const Incoming incoming = read_request(text);
  if (!incoming.is_complete) return 0;
  if (incoming.refusal) {
    require(incoming.refusal->status >= 400, "a refusal is no success");
    return 0;
  }
  require(incoming.request.body.size() <= kMostBodyBytes, "bodies are bounded");
  require(read_request(std::string(text) + "more").request.body == incoming.request.body,
          "what comes behind a request changes nothing");
  const Gate gate{"token", 80};
  if (!refusal(gate, incoming.request)) {
    require(incoming.request.path().starts_with("/token/"), "nobody comes in without the token");
    require(inner_path(gate, incoming.request).size() < incoming.request.target.size(),
            "the token is taken away");
  }
  return 0;
}
