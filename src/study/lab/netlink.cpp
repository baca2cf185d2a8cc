#include "lab/netlink.hpp"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/file_descriptor.hpp"

namespace espalier::lab {

NetlinkRequest::NetlinkRequest(std::uint16_t type, std::uint16_t flags, const void* body,
                               std::size_t size) {
  nlmsghdr header{};
  header.nlmsg_type = type;
  header.nlmsg_flags = static_cast<std::uint16_t>(flags | NLM_F_REQUEST | NLM_F_ACK);
  append(&header, sizeof header);
  append(body, size);
}

/// Everything in a message starts at a multiple of four.
void NetlinkRequest::append(const void* data, std::size_t size) {
  const auto* from = static_cast<const unsigned char*>(data);
  bytes_.insert(bytes_.end(), from, from + size);
  bytes_.resize(NLMSG_ALIGN(bytes_.size()), 0);
}

void NetlinkRequest::add(std::uint16_t attribute, const void* value, std::size_t size) {
  rtattr header{};
  header.rta_type = attribute;
  header.rta_len = static_cast<std::uint16_t>(RTA_LENGTH(size));
  append(&header, sizeof header);
  append(value, size);
}

void NetlinkRequest::add_number(std::uint16_t attribute, std::uint32_t value) {
  add(attribute, &value, sizeof value);
}

void NetlinkRequest::add_text(std::uint16_t attribute, const std::string& text) {
  add(attribute, text.c_str(), text.size() + 1);
}

std::size_t NetlinkRequest::begin_nest(std::uint16_t attribute) {
  const std::size_t start = bytes_.size();
  add(attribute, nullptr, 0);
  return start;
}

void NetlinkRequest::end_nest(std::size_t start) {
  rtattr header{};
  std::memcpy(&header, &bytes_[start], sizeof header);
  header.rta_len = static_cast<std::uint16_t>(bytes_.size() - start);
  std::memcpy(&bytes_[start], &header, sizeof header);
}

int NetlinkRequest::send() {
  nlmsghdr header{};
  std::memcpy(&header, bytes_.data(), sizeof header);
  header.nlmsg_len = static_cast<std::uint32_t>(bytes_.size());
  std::memcpy(bytes_.data(), &header, sizeof header);
  const FileDescriptor kernel(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!kernel || ::send(kernel.get(), bytes_.data(), bytes_.size(), 0) < 0) return errno;
  alignas(nlmsghdr) unsigned char answer[4096];
  const ssize_t got = ::recv(kernel.get(), answer, sizeof answer, 0);
  if (got < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(nlmsgerr)))) return got < 0 ? errno : EPROTO;
  nlmsgerr said{};
  std::memcpy(&said, answer + NLMSG_HDRLEN, sizeof said);
  return -said.error;
}

}  // namespace espalier::lab
