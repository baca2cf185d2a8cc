#include "view/gate.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace espalier::view {
namespace {

/// Takes the same time wherever the texts differ.
bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  }
  return difference == 0;
}

bool is_our_host(const Gate& gate, std::string_view host) {
  // Browsers leave out the port that is HTTP's own.
  constexpr std::uint16_t kUsualPort = 80;
  if (gate.port == kUsualPort && (host == "127.0.0.1" || host == "localhost")) return true;
  return host == fmt::format("127.0.0.1:{}", gate.port) ||
         host == fmt::format("localhost:{}", gate.port);
}

bool may_ask(const Gate& gate, const HttpRequest& request) {
  const std::string* host = request.header("host");
  if (host == nullptr || !is_our_host(gate, *host)) return false;
  if (request.has_header("origin")) {
    const std::string* origin = request.header("origin");
    if (origin == nullptr || *origin != "http://" + *host) return false;
  }
  const std::string_view path = request.path();
  return path.size() >= gate.token.size() + 2 && path[gate.token.size() + 1] == '/' &&
         equal_in_constant_time(path.substr(1, gate.token.size()), gate.token);
}

}  // namespace

std::string Gate::address() const { return fmt::format("http://127.0.0.1:{}/{}/", port, token); }

Expected<std::string> random_token() {
  std::array<unsigned char, 16> bytes{};
  ssize_t got = -1;
  do {
    got = ::getrandom(bytes.data(), bytes.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(bytes.size())) {
    return Error{"view", "the system gives no random numbers",
                 "write a file instead: espalier view --html FILE"};
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

std::optional<HttpResponse> refusal(const Gate& gate, const HttpRequest& request) {
  if (may_ask(gate, request)) return {};
  return HttpResponse{403, "text/plain; charset=utf-8",
                      "Not for you. Open the address that espalier view printed.\n"};
}

std::string inner_path(const Gate& gate, const HttpRequest& request) {
  return std::string(request.path().substr(gate.token.size() + 2));
}

}  // namespace espalier::view
