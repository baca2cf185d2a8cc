#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace espalier::lab {

/// One request to the kernel's network configuration (rtnetlink(7)), put together piece by piece.
class NetlinkRequest {
 public:
  /// @param body the structure that the type asks for (ifinfomsg, ifaddrmsg, rtmsg)
  template <typename Body>
  NetlinkRequest(std::uint16_t type, std::uint16_t flags, const Body& body)
      : NetlinkRequest(type, flags, &body, sizeof body) {}

  void add(std::uint16_t attribute, const void* value, std::size_t size);
  void add_number(std::uint16_t attribute, std::uint32_t value);
  void add_text(std::uint16_t attribute, const std::string& text);
  /// Attributes until end_nest() stand within this one.
  [[nodiscard]] std::size_t begin_nest(std::uint16_t attribute);
  void end_nest(std::size_t start);

  /// Sends it in the network namespace of this process; 0, or the kernel's error number.
  [[nodiscard]] int send();

 private:
  NetlinkRequest(std::uint16_t type, std::uint16_t flags, const void* body, std::size_t size);
  void append(const void* data, std::size_t size);
  std::vector<unsigned char> bytes_;
};

}  // namespace espalier::lab
