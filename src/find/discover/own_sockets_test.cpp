#include "discover/own_sockets.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace espalier::discover {
namespace {

/// A connection of this process with itself over the loopback.
class Loop {
 public:
  Loop() {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof here;
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&here), length), 0);
    EXPECT_EQ(::listen(listener, 1), 0);
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&here), &length);
    ends_[0] = ::socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(::connect(ends_[0], reinterpret_cast<sockaddr*>(&here), length), 0);
    ends_[1] = ::accept(listener, nullptr, nullptr);
    ::close(listener);
  }
  ~Loop() {
    for (const int end : ends_) ::close(end);
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void say_a_word() {
    char word = 'w';
    EXPECT_EQ(::write(ends_[0], &word, 1), 1);
    EXPECT_EQ(::read(ends_[1], &word, 1), 1);
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

bool is_loopback(const PeerSeen& peer) { return peer.address == htonl(INADDR_LOOPBACK); }

TEST(OwnSockets, TellsTheRoundTripOfAConnection) {
  Loop loop;
  loop.say_a_word();
  const auto peers = own_peers();
  const auto peer = std::find_if(peers.begin(), peers.end(), is_loopback);
  ASSERT_NE(peer, peers.end());
  EXPECT_GT(peer->round_trip, Time{});
  EXPECT_LT(peer->round_trip, seconds(10));
}

TEST(OwnSockets, BelievesNoRateOfASenderThatHadNothingMoreToSend) {
  Loop loop;
  loop.say_a_word();
  for (const PeerSeen& peer : own_peers()) {
    if (is_loopback(peer)) {
      EXPECT_EQ(peer.rate, Bandwidth{0});
    }
  }
}

TEST(OwnSockets, NamesNoLoopbackAsAnAddress) {
  const auto addresses = own_addresses();
  EXPECT_LE(addresses.size(), 2U);
  for (const std::uint32_t address : addresses) EXPECT_NE(ntohl(address) >> 24U, 127U);
}

TEST(OwnSockets, LeavesOutAddressesThatSeveralNodesHave) {
  using Addresses = std::vector<std::vector<std::uint32_t>>;
  EXPECT_EQ(own_only({{1, 9}, {2, 9}, {9, 3}}), (Addresses{{1}, {2}, {3}}));
  EXPECT_EQ(own_only({{1, 1}, {2, 5}}), (Addresses{{1, 1}, {2, 5}}));
  EXPECT_EQ(own_only({{9}, {2, 9}, {}}), (Addresses{{}, {2}, {}}));
}

}  // namespace
}  // namespace espalier::discover
