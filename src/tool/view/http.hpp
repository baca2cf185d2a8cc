#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace espalier::view {

// As much of HTTP/1.1 (RFC 9112) as a page on the loopback address needs: one request a
// connection, bodies with a Content-Length. Pure functions; server.hpp has the sockets.

struct HttpRequest {
  std::string method;
  std::string target;  ///< "/token/api/plan?x", as it was sent
  std::vector<std::pair<std::string, std::string>> headers;  ///< names in small letters
  std::string body;

  /// The only header of this name; nullptr if there is none, or more than one.
  [[nodiscard]] const std::string* header(std::string_view name) const;
  [[nodiscard]] bool has_header(std::string_view name) const;
  /// The target without its query.
  [[nodiscard]] std::string_view path() const;
};

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

inline constexpr std::size_t kMostHeaderBytes = 16 * 1024;
inline constexpr std::size_t kMostBodyBytes = 256 * 1024;

/// What has come in so far.
struct Incoming {
  bool is_complete = false;
  std::optional<HttpResponse> refusal;  ///< set if it will never be a request that we take
  HttpRequest request;                  ///< valid if complete and not refused
};

/// Reads a request from all bytes of a connection.
[[nodiscard]] Incoming read_request(std::string_view bytes);

/// The bytes of an answer. It may not be stored, framed, or used by other sites.
[[nodiscard]] std::string write_response(const HttpResponse& response);

}  // namespace espalier::view
