#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>

#include "doctor/checks.hpp"

namespace espalier::doctor {
namespace {

/// Those that lead nowhere but to containers and virtual machines of this host.
bool is_bridge(const std::string& name) {
  for (const std::string_view prefix :
       {"docker", "br-", "virbr", "veth", "cni", "flannel", "lxc", "lxdbr", "podman", "cali"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

std::string address_of(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address->sa_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
  } else if (address->sa_family == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text,
              sizeof text);
  }
  return text;
}

std::string choose(const std::string& names) {
  return fmt::format(
      "choose: mpiexec -genv UCX_NET_DEVICES {0} (MPICH), --mca btl_tcp_if_include {0} (Open MPI)",
      names);
}

}  // namespace

std::vector<Interface> own_interfaces() {
  std::vector<Interface> all;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return all;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    auto it = std::find_if(all.begin(), all.end(),
                           [&](const Interface& known) { return known.name == one->ifa_name; });
    if (it == all.end()) {
      const bool is_up = (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_RUNNING) != 0;
      it = all.insert(all.end(), {one->ifa_name, is_up, (one->ifa_flags & IFF_LOOPBACK) != 0, {}});
    }
    const std::string address = one->ifa_addr == nullptr ? "" : address_of(one->ifa_addr);
    if (!address.empty()) it->addresses.push_back(address);
  }
  freeifaddrs(first);
  return all;
}

Findings check_network(std::span<const Interface> interfaces) {
  constexpr const char* kArea = "network";
  Findings all;
  std::vector<std::string> usable, down, bridges;
  for (const Interface& one : interfaces) {
    if (one.is_loopback) continue;
    if (is_bridge(one.name)) {
      if (one.is_up && !one.addresses.empty()) bridges.push_back(one.name);
    } else if (!one.is_up) {
      down.push_back(one.name);
    } else if (!one.addresses.empty()) {
      usable.push_back(one.name);
      all.push_back({kArea, Severity::Ok, one.name,
                     fmt::format("up, {}", fmt::join(one.addresses, ", ")), ""});
    }
  }
  if (!down.empty()) {
    all.push_back({kArea, Severity::Note, fmt::format("{}", fmt::join(down, ", ")), "down", ""});
  }
  if (usable.empty()) {
    all.push_back({kArea, Severity::Note, "interfaces", "no way to other hosts: this one only",
                   "nothing, if all processes run here"});
  }
  if (usable.size() > 1) {
    all.push_back({kArea, Severity::Note, "interfaces",
                   "several lead out: MPI may use all, or one that does not reach the others",
                   choose(usable.front())});
  }
  if (!bridges.empty()) {
    all.push_back({kArea, Severity::Warning, fmt::format("{}", fmt::join(bridges, ", ")),
                   "bridges of containers or virtual machines: every host has one with the same "
                   "address, and MPI may try to reach others through it",
                   choose(usable.empty() ? "eth0" : usable.front())});
  }
  return all;
}

}  // namespace espalier::doctor
