#include "lab/frame.hpp"

#include <algorithm>
#include <cstring>

#include "base/contract.hpp"

namespace espalier::lab {
namespace {

using View = std::span<const unsigned char>;

// Preamble, frame check sequence and the gap between two frames of Ethernet.
constexpr std::uint64_t kAroundAFrame = 24;
constexpr std::size_t kSmallestIpHeader = 20;
constexpr unsigned char kTcp = 6;
constexpr unsigned char kUdp = 17;

std::uint32_t big_endian(View bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = (value << 8U) | bytes[at + i];
  return value;
}

/// The virtio header is in the byte order of the computer.
std::uint16_t native_16(View bytes, std::size_t at) {
  std::uint16_t value = 0;
  std::memcpy(&value, &bytes[at], sizeof value);
  return value;
}

FrameOnWire on_wire(View frame) {
  const unsigned char gso_type = frame[1];
  const std::uint64_t header = native_16(frame, 2);
  const std::uint64_t piece = native_16(frame, 4);
  const std::uint64_t length = frame.size() - kVirtioHeader;
  FrameOnWire wire{.bytes = length + kAroundAFrame, .packets = 1, .flow = 0};
  if (gso_type != 0 && piece > 0 && header > 0 && length > header + piece) {
    const std::uint64_t packets = (length - header + piece - 1) / piece;
    wire.packets = static_cast<std::uint32_t>(packets);
    wire.bytes = length + (packets - 1) * header + packets * kAroundAFrame;
  }
  return wire;
}

std::uint64_t flow_of(View ip) {
  const std::size_t header = (ip[0] & 15U) * 4U;
  const bool has_ports = (ip[9] == kTcp || ip[9] == kUdp) && ip.size() >= header + 4;
  const std::uint64_t hosts =
      (std::uint64_t{big_endian(ip, 12, 4) & 0xffffU} << 16U) | (big_endian(ip, 16, 4) & 0xffffU);
  return (hosts << 32U) | (has_ports ? big_endian(ip, header, 4) : 0U);
}

}  // namespace

std::optional<ReadFrame> read_frame(View frame) {
  constexpr std::uint32_t kIpv4 = 0x0800;
  constexpr std::size_t kIpAt = kVirtioHeader + kEthernetHeader;
  if (frame.size() < kIpAt + kSmallestIpHeader) return std::nullopt;
  if (big_endian(frame, kIpAt - 2, 2) != kIpv4) return std::nullopt;
  const View ip = frame.subspan(kIpAt);
  ReadFrame read{.destination = big_endian(ip, 16, 4), .on_wire = on_wire(frame)};
  read.on_wire.flow = flow_of(ip);
  return read;
}

MacAddress mac_of_host(std::size_t i) {
  return {0x02,
          0x65,
          0x73,
          0x70,
          static_cast<unsigned char>(i >> 8U),
          static_cast<unsigned char>(i & 255U)};
}

void address_to(FrameBytes frame, const MacAddress& receiver) {
  expects(frame.size() >= kVirtioHeader + kEthernetHeader, "address_to: no Ethernet header");
  std::copy(receiver.begin(), receiver.end(), frame.begin() + kVirtioHeader);
}

}  // namespace espalier::lab
