#include "lab/frame.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace espalier::lab {
namespace {

/// A TCP frame to 10.1.0.2 with so much payload behind 54 bytes of headers.
std::vector<unsigned char> frame(std::size_t payload, std::uint16_t piece = 0) {
  std::vector<unsigned char> bytes(kVirtioHeader + 54 + payload, 0);
  const std::uint16_t header = 54;
  if (piece > 0) {
    bytes[1] = 1;  // TCP over IPv4
    std::memcpy(&bytes[2], &header, 2);
    std::memcpy(&bytes[4], &piece, 2);
  }
  bytes[kVirtioHeader + 12] = 8;  // IPv4
  unsigned char* ip = &bytes[kVirtioHeader + kEthernetHeader];
  ip[0] = 0x45;
  ip[9] = 6;
  const unsigned char destination[] = {10, 1, 0, 2};
  std::memcpy(ip + 16, destination, 4);
  return bytes;
}

TEST(Frame, SaysWhereItGoesAndHowLongItIsOnTheWire) {
  const auto read = read_frame(frame(100));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->destination, 0x0a010002U);
  EXPECT_EQ(read->on_wire.packets, 1U);
  EXPECT_EQ(read->on_wire.bytes, 54U + 100U + 24U);
}

TEST(Frame, CountsThePacketsThatALargeSegmentStandsFor) {
  const auto read = read_frame(frame(/*payload=*/14'481, /*piece=*/1448));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->on_wire.packets, 11U);
  EXPECT_EQ(read->on_wire.bytes, 14'481U + 11U * (54U + 24U));
}

TEST(Frame, TellsConnectionsApart) {
  auto a = frame(10);
  auto b = frame(10);
  b[kVirtioHeader + kEthernetHeader + 20 + 3] = 80;  // another port
  EXPECT_NE(read_frame(a)->on_wire.flow, read_frame(b)->on_wire.flow);
}

TEST(Frame, RefusesWhatIsNotIpv4) {
  auto other = frame(100);
  other[kVirtioHeader + 13] = 6;  // 0x0806, ARP
  EXPECT_FALSE(read_frame(other));
  const std::vector<unsigned char> whole = frame(0);
  for (std::size_t size = 0; size < kVirtioHeader + kEthernetHeader + 20; ++size) {
    EXPECT_FALSE(read_frame(std::span(whole).first(size)));
  }
}

TEST(Frame, IsAddressedToItsReceiver) {
  auto bytes = frame(1);
  address_to(bytes, mac_of_host(259));
  const MacAddress expected{0x02, 0x65, 0x73, 0x70, 1, 3};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), bytes.begin() + kVirtioHeader));
}

}  // namespace
}  // namespace espalier::lab
