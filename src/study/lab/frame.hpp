#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "lab/network.hpp"

namespace espalier::lab {

/// A frame as the kernel hands it over: a virtio header (which says how a large TCP segment is to
/// be cut), an Ethernet header, IPv4.
struct ReadFrame {
  std::uint32_t destination = 0;  ///< IPv4 address in host byte order
  FrameOnWire on_wire;
};

using FrameBytes = std::span<unsigned char>;
inline constexpr std::size_t kVirtioHeader = 10;
inline constexpr std::size_t kEthernetHeader = 14;

/// Absent if the frame is not IPv4: hosts speak nothing else.
[[nodiscard]] std::optional<ReadFrame> read_frame(std::span<const unsigned char> frame);

using MacAddress = std::array<unsigned char, 6>;
/// The address of the i-th host. It is locally administered, so no real device has it.
[[nodiscard]] MacAddress mac_of_host(std::size_t i);
/// Hosts do not resolve addresses; the router, which knows them all, writes the receiver's in.
/// @pre read_frame(frame) gave something
void address_to(FrameBytes frame, const MacAddress& receiver);

}  // namespace espalier::lab
