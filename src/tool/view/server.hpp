#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "base/expected.hpp"
#include "base/file_descriptor.hpp"
#include "view/http.hpp"

namespace espalier::view {

/// A server on the loopback address 127.0.0.1, and no other. One thread: requests are answered one
/// after the other, in the order in which they are complete.
class Server {
 public:
  using Answer = std::function<HttpResponse(const HttpRequest&)>;

  /// @param port 0: one that is free
  static Expected<Server> open(std::uint16_t port);

  [[nodiscard]] std::uint16_t port() const { return port_; }

  /// Answers until `is_over` says so. It is asked after each event, and a few times a second.
  void serve(const Answer& answer, const std::function<bool()>& is_over) const;

  /// Connections beyond that many are closed, the oldest first.
  static constexpr std::size_t kMostConnections = 64;
  /// How long a request, or the reading of an answer, may take.
  static constexpr std::chrono::seconds kPatience{20};

 private:
  Server(FileDescriptor listener, std::uint16_t port)
      : listener_(std::move(listener)), port_(port) {}

  FileDescriptor listener_;
  std::uint16_t port_;
};

}  // namespace espalier::view
