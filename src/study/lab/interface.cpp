#include "lab/interface.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "lab/netlink.hpp"

namespace espalier::lab {
namespace {

constexpr const char* kDevice = "/dev/net/tun";
constexpr const char* kName = "eth0";
constexpr std::uint32_t kQueueLength = 5000;  // in frames: room for large bursts
constexpr unsigned char kPrefix = 16;

Error interface_error(const char* doing, int why = errno) {
  return {
      "lab",
      fmt::format("a lab needs root, namespaces and TUN; cannot {}: {}", doing, std::strerror(why)),
      "espalier doctor says what a lab lacks here"};
}

Expected<FileDescriptor> open_tap() {
  FileDescriptor tap(::open(kDevice, O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!tap) return interface_error("open /dev/net/tun");
  ifreq request{};
  std::strncpy(request.ifr_name, kName, IFNAMSIZ - 1);
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  if (::ioctl(tap.get(), TUNSETIFF, &request) != 0)
    return interface_error("make a network interface");
  int header = kVirtioHeader;
  const unsigned long offloads = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO_ECN;
  if (::ioctl(tap.get(), TUNSETVNETHDRSZ, &header) != 0 ||
      ::ioctl(tap.get(), TUNSETOFFLOAD, offloads) != 0 ||
      ::ioctl(tap.get(), TUNSETPERSIST, 1) != 0) {
    return interface_error("set up a network interface");
  }
  return tap;
}

int bring_up(unsigned index, const MacAddress* mac) {
  ifinfomsg body{};
  body.ifi_family = AF_UNSPEC;
  body.ifi_index = static_cast<int>(index);
  // Nobody resolves addresses: the router knows them all.
  body.ifi_flags = mac != nullptr ? IFF_UP | IFF_NOARP : IFF_UP;
  body.ifi_change = body.ifi_flags;
  NetlinkRequest request(RTM_NEWLINK, 0, body);
  if (mac != nullptr) {
    request.add(IFLA_ADDRESS, mac->data(), mac->size());
    request.add_number(IFLA_TXQLEN, kQueueLength);
  }
  return request.send();
}

int add_address(unsigned index, std::uint32_t address) {
  ifaddrmsg body{};
  body.ifa_family = AF_INET;
  body.ifa_prefixlen = kPrefix;
  body.ifa_index = index;
  NetlinkRequest request(RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE, body);
  request.add_number(IFA_LOCAL, htonl(address));
  request.add_number(IFA_ADDRESS, htonl(address));
  request.add_number(IFA_FLAGS, IFA_F_NOPREFIXROUTE);
  return request.send();
}

/// Cubic by name, because the default differs from system to system (bbr paces, and fills a short
/// queue in another way) and cannot be set for a namespace where it is not a permitted choice.
int add_route(unsigned index, std::uint32_t address) {
  rtmsg body{};
  body.rtm_family = AF_INET;
  body.rtm_dst_len = kPrefix;
  body.rtm_table = RT_TABLE_MAIN;
  body.rtm_protocol = RTPROT_STATIC;
  body.rtm_scope = RT_SCOPE_LINK;
  body.rtm_type = RTN_UNICAST;
  NetlinkRequest request(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, body);
  request.add_number(RTA_DST, htonl(address & ~0U << (32U - kPrefix)));
  request.add_number(RTA_OIF, index);
  request.add_number(RTA_PREFSRC, htonl(address));
  const std::size_t metrics = request.begin_nest(RTA_METRICS);
  request.add_text(RTAX_CC_ALGO, "cubic");
  request.end_nest(metrics);
  return request.send();
}

}  // namespace

Expected<FileDescriptor> open_interface(std::uint32_t address, const MacAddress& mac) {
  auto tap = open_tap();
  if (!tap) return tap;
  const unsigned index = ::if_nametoindex(kName);
  if (const int why = bring_up(::if_nametoindex("lo"), nullptr))
    return interface_error("bring up lo", why);
  if (const int why = bring_up(index, &mac)) return interface_error("bring up eth0", why);
  if (const int why = add_address(index, address)) return interface_error("set an address", why);
  if (const int why = add_route(index, address)) return interface_error("set a route", why);
  return tap;
}

std::optional<Error> why_no_lab() {
  if (::geteuid() != 0)
    return Error{"lab", "a lab needs root (for namespaces and TUN)",
                 "begin with sudo; espalier doctor says what else a lab lacks here"};
  const FileDescriptor tun(::open(kDevice, O_RDWR | O_CLOEXEC));
  if (!tun) return interface_error("open /dev/net/tun");
  return std::nullopt;
}

}  // namespace espalier::lab
