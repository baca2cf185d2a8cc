#include "view/server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace espalier::view {
namespace {

using Clock = std::chrono::steady_clock;

struct Connection {
  FileDescriptor socket;
  Clock::time_point until;
  std::string in;
  std::string out;  ///< what is still to be sent; empty: the request is not complete
  bool is_over = false;
};

/// Whether to try again later.
bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

void receive(Connection& connection, const Server::Answer& answer) {
  std::array<char, 16384> bytes{};
  const ssize_t got = ::recv(connection.socket.get(), bytes.data(), bytes.size(), 0);
  if (got <= 0) {
    connection.is_over = got == 0 || !would_block();
    return;
  }
  connection.in.append(bytes.data(), static_cast<std::size_t>(got));
  const Incoming incoming = read_request(connection.in);
  if (!incoming.is_complete) return;
  connection.out = write_response(incoming.refusal ? *incoming.refusal : answer(incoming.request));
  connection.until = Clock::now() + Server::kPatience;  // the answer itself may have taken long
}

void send_on(Connection& connection) {
  const ssize_t sent =
      ::send(connection.socket.get(), connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
  if (sent < 0) {
    connection.is_over = !would_block();
    return;
  }
  connection.out.erase(0, static_cast<std::size_t>(sent));
  if (!connection.out.empty()) return;
  connection.is_over = true;
  // Bytes that nobody read would turn the end into a reset, which can lose the answer.
  (void)::shutdown(connection.socket.get(), SHUT_WR);
  // Who goes on sending without end has itself to blame for it.
  constexpr int kMostReads = 64;
  std::array<char, 16384> rest{};
  for (int i = 0; i < kMostReads; ++i) {
    if (::recv(connection.socket.get(), rest.data(), rest.size(), 0) <= 0) break;
  }
}

void take_new(int listener, std::vector<Connection>& connections) {
  const int socket = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket < 0) return;
  if (connections.size() == Server::kMostConnections) connections.erase(connections.begin());
  connections.push_back({FileDescriptor(socket), Clock::now() + Server::kPatience, {}, {}, false});
}

Error cannot_listen(std::uint16_t port, int code) {
  return {
      port == 0 ? "view" : "--port",
      fmt::format("cannot listen on 127.0.0.1:{}: {}", port, std::generic_category().message(code)),
      "take another port, or leave out --port, which finds a free one"};
}

}  // namespace

Expected<Server> Server::open(std::uint16_t port) {
  FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!listener) return cannot_listen(port, errno);
  const int yes = 1;
  (void)::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener.get(), generic, length) != 0 || ::listen(listener.get(), 128) != 0 ||
      ::getsockname(listener.get(), generic, &length) != 0) {
    return cannot_listen(port, errno);
  }
  return Server(std::move(listener), ntohs(address.sin_port));
}

void Server::serve(const Answer& answer, const std::function<bool()>& is_over) const {
  constexpr int kWaitMs = 200;
  std::vector<Connection> connections;
  while (!is_over()) {
    std::vector<pollfd> watched{{listener_.get(), POLLIN, 0}};
    for (const Connection& one : connections) {
      watched.push_back(
          {one.socket.get(), static_cast<short>(one.out.empty() ? POLLIN : POLLOUT), 0});
    }
    if (::poll(watched.data(), watched.size(), kWaitMs) < 0) continue;
    for (std::size_t i = 0; i < connections.size(); ++i) {
      if (watched[i + 1].revents == 0) continue;
      if (connections[i].out.empty()) {
        receive(connections[i], answer);
      } else {
        send_on(connections[i]);
      }
    }
    const Clock::time_point now = Clock::now();
    std::erase_if(connections,
                  [&](const Connection& one) { return one.is_over || one.until < now; });
    if (watched.front().revents != 0) take_new(listener_.get(), connections);
  }
}

}  // namespace espalier::view
