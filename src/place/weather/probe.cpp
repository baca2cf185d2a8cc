#include "weather/probe.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

namespace espalier::weather {
namespace {

// One byte 'p' is answered with itself. 'b' and a length (8 bytes, low byte first) announce so many
// bytes; the last of them is answered with 'b'.
constexpr char kPing = 'p', kBulk = 'b';
/// An answering host takes no more than this in one transfer.
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

class Socket {
 public:
  explicit Socket(int fd = -1) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool good() const { return fd_ >= 0; }

 private:
  int fd_;
};

bool wait_for(const Socket& s, short events, int patience_ms) {
  pollfd p{s.fd(), events, 0};
  int ready = 0;
  do {
    ready = poll(&p, 1, patience_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

bool send_all(const Socket& s, const char* data, std::size_t size, int patience_ms) {
  while (size > 0) {
    if (!wait_for(s, POLLOUT, patience_ms)) return false;
    const ssize_t n = send(s.fd(), data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (n > 0) data += n, size -= static_cast<std::size_t>(n);
  }
  return true;
}

/// What is there, at most `size` bytes, which are taken from `left`.
bool receive_some(const Socket& s, char* data, std::size_t size, int patience_ms,
                  std::uint64_t& left) {
  if (!wait_for(s, POLLIN, patience_ms)) return false;
  const ssize_t n = recv(s.fd(), data, size, MSG_DONTWAIT);
  if (n > 0) left -= static_cast<std::uint64_t>(n);
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

bool receive_all(const Socket& s, char* data, std::size_t size, int patience_ms) {
  std::uint64_t left = size;
  while (left > 0) {
    if (!receive_some(s, data + (size - left), left, patience_ms, left)) return false;
  }
  return true;
}

/// @return 0, or an error of the system
int connect_within(const Socket& s, const addrinfo& to, int patience_ms) {
  if (connect(s.fd(), to.ai_addr, to.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!wait_for(s, POLLOUT, patience_ms)) return ETIMEDOUT;
  int why = 0;
  socklen_t size = sizeof why;
  return getsockopt(s.fd(), SOL_SOCKET, SO_ERROR, &why, &size) == 0 ? why : errno;
}

/// Error: why there is no connection.
Expected<Socket> connect_to(const std::string& host, std::uint16_t port, int patience_ms) {
  const std::string where = fmt::format("{}:{}", host, port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (code != 0) {
    return Error{where, fmt::format("no host \"{:.100}\": {}", host, gai_strerror(code)),
                 "check its name"};
  }
  Socket found;
  int why = 0;
  for (const addrinfo* a = list; a != nullptr && !found.good(); a = a->ai_next) {
    Socket s(socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK, a->ai_protocol));
    why = s.good() ? connect_within(s, *a, patience_ms) : errno;
    if (why == 0) found = std::move(s);
  }
  freeaddrinfo(list);
  if (!found.good()) {
    return Error{where, fmt::format("no connection: {}", std::strerror(why)),
                 "start `espalier weather answer` there"};
  }
  const int one = 1;
  setsockopt(found.fd(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return found;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Until the prober hangs up, does something else, or has had its time.
void serve(const Socket& s) {
  constexpr std::chrono::seconds kAtMost{30};
  const auto end = std::chrono::steady_clock::now() + kAtMost;
  const auto is_over = [&] { return std::chrono::steady_clock::now() > end; };
  // Others that wait behind a silent one give up after 5 s (ProbeLimits).
  constexpr int kPatienceMs = 4'000;      // in mid-transfer, where lost packets come again
  constexpr int kNextPatienceMs = 2'000;  // between commands
  const int one = 1;
  setsockopt(s.fd(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  std::vector<char> sink(64 * 1024);
  for (char what = 0; !is_over() && receive_all(s, &what, 1, kNextPatienceMs);) {
    if (what == kBulk) {
      unsigned char length[8];
      if (!receive_all(s, reinterpret_cast<char*>(length), 8, kPatienceMs)) return;
      std::uint64_t left = 0;
      for (int i = 7; i >= 0; --i) left = (left << 8) | length[i];
      if (left > kMostBytes) return;
      while (left > 0) {
        const std::size_t part = std::min<std::uint64_t>(left, sink.size());
        if (is_over() || !receive_some(s, sink.data(), part, kPatienceMs, left)) return;
      }
    } else if (what != kPing) {
      return;
    }
    if (!send_all(s, &what, 1, kPatienceMs)) return;
  }
}

}  // namespace

Expected<Probed> probe(const std::string& host, std::uint16_t port, const ProbeLimits& limits) {
  const std::string where = fmt::format("{}:{}", host, port);
  if (limits.bytes > kMostBytes) {
    return Error{"--bytes", fmt::format("at most {} bytes are sent", kMostBytes),
                 "give fewer; 256KiB is usual"};
  }
  const Expected<Socket> connected = connect_to(host, port, limits.patience_ms);
  if (!connected) return connected.error();
  const Socket& s = *connected;
  const Error silent{where, "no answer", "is it `espalier weather answer` that listens there?"};
  Probed probed;
  double shortest = 1e9;
  for (std::uint32_t i = 0; i < std::max(1U, limits.round_trips); ++i) {
    const auto begin = std::chrono::steady_clock::now();
    char byte = kPing;
    if (!send_all(s, &byte, 1, limits.patience_ms) ||
        !receive_all(s, &byte, 1, limits.patience_ms) || byte != kPing) {
      return silent;
    }
    shortest = std::min(shortest, seconds_since(begin));
  }
  probed.latency = std::max(shortest / 2, 1e-9);
  if (limits.bytes == 0) return probed;
  const std::uint64_t bytes = std::min(limits.bytes, kMostBytes);
  std::vector<char> message(9 + bytes, 0);
  message[0] = kBulk;
  for (unsigned i = 0; i < 8; ++i) message[1 + i] = static_cast<char>((bytes >> (8 * i)) & 255);
  const auto begin = std::chrono::steady_clock::now();
  char byte = 0;
  if (!send_all(s, message.data(), message.size(), limits.patience_ms) ||
      !receive_all(s, &byte, 1, limits.patience_ms) || byte != kBulk) {
    return silent;
  }
  const double took = seconds_since(begin) - shortest;
  probed.bandwidth = 8.0 * static_cast<double>(bytes) / std::max(took, 1e-6);
  return probed;
}

Expected<std::uint64_t> answer_probes(std::uint16_t port, std::uint64_t how_many,
                                      void (*ready)(std::uint16_t port, void* context),
                                      void* context) {
  const Socket listening(socket(AF_INET, SOCK_STREAM, 0));
  const int one = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = INADDR_ANY;
  socklen_t length = sizeof address;
  if (!listening.good() ||
      setsockopt(listening.fd(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
      bind(listening.fd(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      listen(listening.fd(), 16) != 0 ||
      getsockname(listening.fd(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    return Error{fmt::format("port {}", port),
                 fmt::format("cannot be had: {}", std::strerror(errno)), "name another one"};
  }
  ready(ntohs(address.sin_port), context);
  std::uint64_t served = 0;
  while (how_many == 0 || served < how_many) {
    const Socket s(accept(listening.fd(), nullptr, nullptr));
    if (!s.good()) continue;
    serve(s);
    ++served;
  }
  return served;
}

}  // namespace espalier::weather
