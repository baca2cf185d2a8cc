#include "discover/own_sockets.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <ifaddrs.h>
#include <linux/inet_diag.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <set>

namespace espalier::discover {
namespace {

constexpr int kMostDescriptors = 4096;
constexpr std::size_t kMostAddresses = 2;
constexpr std::uint8_t kEstablished = 1;

/// The IPv4 address of a connection's other end, also of one that is IPv6 in form only.
std::optional<std::uint32_t> address_of_peer(int descriptor) {
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &length) != 0) return {};
  if (peer.ss_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(peer).sin_addr.s_addr;
  }
  if (peer.ss_family != AF_INET6) return {};
  const in6_addr& six = reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr;
  if (!IN6_IS_ADDR_V4MAPPED(&six)) return {};
  std::uint32_t four = 0;
  std::memcpy(&four, six.s6_addr + 12, sizeof four);
  return four;
}

/// Whether the connection sends as fast as the way allows. A new one does not yet: its window
/// doubles with each round trip, and its rate is that of the window. Cubic and others end that
/// phase by setting a threshold; BBR by sending no more than it measures (a gain of 1 is 256).
bool has_found_its_window(int descriptor, const tcp_info& info) {
  constexpr std::uint32_t kNoThreshold = 0x7fffffff, kGainOfSearch = 512;
  std::array<char, 16> name{};
  socklen_t length = name.size();
  if (::getsockopt(descriptor, IPPROTO_TCP, TCP_CONGESTION, name.data(), &length) != 0) {
    return false;
  }
  if (std::strncmp(name.data(), "bbr", name.size()) != 0) {
    return info.tcpi_snd_ssthresh < kNoThreshold;
  }
  tcp_bbr_info of_bbr{};
  length = sizeof of_bbr;
  return ::getsockopt(descriptor, IPPROTO_TCP, TCP_CC_INFO, &of_bbr, &length) == 0 &&
         length >= sizeof of_bbr && of_bbr.bbr_pacing_gain < kGainOfSearch;
}

std::optional<PeerSeen> look_at(int descriptor) {
  tcp_info info{};
  socklen_t length = sizeof info;
  if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return {};
  // An older kernel tells less, and writes less.
  const std::size_t needed =
      offsetof(tcp_info, tcpi_delivery_rate) + sizeof info.tcpi_delivery_rate;
  if (length < needed || info.tcpi_state != kEstablished) return {};
  const bool is_timed = info.tcpi_min_rtt != 0 && info.tcpi_min_rtt != ~std::uint32_t{0};
  const auto address = address_of_peer(descriptor);
  if (!is_timed || !address) return {};
  PeerSeen seen{*address, microseconds(info.tcpi_min_rtt), Bandwidth{0}};
  if (info.tcpi_delivery_rate_app_limited == 0 && has_found_its_window(descriptor, info)) {
    seen.rate = Bandwidth{8 * static_cast<std::uint64_t>(info.tcpi_delivery_rate)};
  }
  return seen;
}

}  // namespace

std::vector<PeerSeen> own_peers() {
  std::map<std::uint32_t, PeerSeen> peers;
  DIR* const folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return {};
  int looked_at = 0;
  for (const dirent* one = ::readdir(folder); one != nullptr && looked_at < kMostDescriptors;
       one = ::readdir(folder), ++looked_at) {
    if (one->d_name[0] < '0' || one->d_name[0] > '9') continue;
    const auto seen = look_at(std::atoi(one->d_name));
    if (!seen) continue;
    PeerSeen& known = peers.try_emplace(seen->address, *seen).first->second;
    known.round_trip = std::min(known.round_trip, seen->round_trip);
    known.rate = std::max(known.rate, seen->rate);
  }
  ::closedir(folder);
  std::vector<PeerSeen> all;
  for (const auto& [address, seen] : peers) all.push_back(seen);
  return all;
}

std::vector<std::uint32_t> own_addresses() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return {};
  std::vector<std::uint32_t> found;
  for (const ifaddrs* one = all; one != nullptr && found.size() < kMostAddresses;
       one = one->ifa_next) {
    constexpr unsigned kIsConnected = IFF_UP | IFF_RUNNING;
    const bool is_usable = one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET &&
                           (one->ifa_flags & IFF_LOOPBACK) == 0 &&
                           (one->ifa_flags & kIsConnected) == kIsConnected;
    if (is_usable) {
      found.push_back(reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr.s_addr);
    }
  }
  ::freeifaddrs(all);
  return found;
}

std::vector<std::vector<std::uint32_t>> own_only(
    std::vector<std::vector<std::uint32_t>> addresses_of_nodes) {
  std::map<std::uint32_t, int> nodes_with;
  for (const auto& node : addresses_of_nodes) {
    for (const std::uint32_t address : std::set(node.begin(), node.end())) ++nodes_with[address];
  }
  for (auto& node : addresses_of_nodes) {
    std::erase_if(node, [&](std::uint32_t address) { return nodes_with[address] > 1; });
  }
  return addresses_of_nodes;
}

}  // namespace espalier::discover
