#include "view/http.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace espalier::view {
namespace {

bool is_token_letter(char c) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kOthers.find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_letter);
}

/// Printable ASCII without a space: all that a target may hold.
bool is_target(std::string_view text) {
  return text.starts_with('/') &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

std::string small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return small;
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Incoming refuse(int status, std::string_view why) {
  Incoming incoming;
  incoming.is_complete = true;
  incoming.refusal = HttpResponse{status, "text/plain; charset=utf-8", fmt::format("{}\n", why)};
  return incoming;
}

/// "POST /x HTTP/1.1"; false if it is no such line.
bool read_request_line(std::string_view line, HttpRequest& request) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return false;
  request.method = line.substr(0, first);
  request.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  return is_token(request.method) && is_target(request.target) &&
         (version == "HTTP/1.1" || version == "HTTP/1.0");
}

/// "Name: value"; false if it is no such line.
bool read_header(std::string_view line, HttpRequest& request) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
  const std::string_view value = without_spaces(line.substr(colon + 1));
  if (std::any_of(value.begin(), value.end(),
                  [](char c) { return static_cast<unsigned char>(c) < ' '; }))
    return false;
  request.headers.emplace_back(small_letters(line.substr(0, colon)), value);
  return true;
}

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 422:
      return "Unprocessable Content";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Internal Server Error";
  }
}

}  // namespace

const std::string* HttpRequest::header(std::string_view name) const {
  const std::string* found = nullptr;
  for (const auto& [key, value] : headers) {
    if (key != name) continue;
    if (found != nullptr) return nullptr;
    found = &value;
  }
  return found;
}

bool HttpRequest::has_header(std::string_view name) const {
  return std::any_of(headers.begin(), headers.end(),
                     [&](const auto& one) { return one.first == name; });
}

std::string_view HttpRequest::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

Incoming read_request(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos || end > kMostHeaderBytes) {
    return bytes.size() > kMostHeaderBytes ? refuse(431, "the header is too long") : Incoming{};
  }
  Incoming incoming;
  std::string_view head = bytes.substr(0, end + 2);
  for (bool is_first = true; !head.empty(); is_first = false) {
    const std::size_t line = head.find("\r\n");
    const std::string_view text = head.substr(0, line);
    const bool is_right =
        is_first ? read_request_line(text, incoming.request) : read_header(text, incoming.request);
    if (!is_right) return refuse(400, "this is no request of HTTP/1.1");
    head.remove_prefix(line + 2);
  }
  if (incoming.request.has_header("transfer-encoding")) {
    return refuse(411, "bodies need a Content-Length");
  }
  std::size_t length = 0;
  if (incoming.request.has_header("content-length")) {
    const std::string* text = incoming.request.header("content-length");
    if (text == nullptr) return refuse(400, "two headers Content-Length");
    const char* last = text->data() + text->size();
    const auto [stop, code] = std::from_chars(text->data(), last, length);
    if (code != std::errc() || stop != last) return refuse(400, "Content-Length is no number");
  }
  if (length > kMostBodyBytes) return refuse(413, "the body is too long");
  const std::string_view body = bytes.substr(end + 4);
  if (body.size() < length) return incoming;
  incoming.request.body = body.substr(0, length);
  incoming.is_complete = true;
  return incoming;
}

std::string write_response(const HttpResponse& response) {
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\n"
      "Content-Type: {}\r\n"
      "Content-Length: {}\r\n"
      "Connection: close\r\n"
      "Cache-Control: no-store\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "X-Content-Type-Options: nosniff\r\n"
      "X-Frame-Options: DENY\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n\r\n",
      response.status, reason(response.status), response.type, response.body.size());
  return text + response.body;
}

}  // namespace espalier::view
