#include "view/server.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

namespace espalier::view {
namespace {

/// A server that echoes bodies, in a thread of its own.
class Echo {
 public:
  Echo()
      : server_(Server::open(0).value()), thread_([this] {
          server_.serve(
              [](const HttpRequest& request) {
                return HttpResponse{200, "text/plain", request.body};
              },
              [this] { return is_over_.load(); });
        }) {}
  ~Echo() {
    is_over_ = true;
    thread_.join();
  }
  [[nodiscard]] std::uint16_t port() const { return server_.port(); }

 private:
  std::atomic<bool> is_over_{false};
  Server server_;
  std::thread thread_;
};

FileDescriptor connected(std::uint16_t port) {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return socket;
}

std::string all_of(int socket) {
  std::string text;
  std::array<char, 4096> bytes{};
  for (;;) {
    const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (got <= 0) return text;
    text.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

std::string echoed(std::uint16_t port, const std::string& body) {
  const FileDescriptor socket = connected(port);
  const std::string text =
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
      body;
  EXPECT_EQ(write_all(socket.get(), text), 0);
  const std::string answer = all_of(socket.get());
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? answer : answer.substr(end + 4);
}

TEST(ViewServer, AnswersWhileOtherConnectionsAreSilent) {
  const Echo echo;
  // Browsers open connections in advance and send nothing; some of them must be closed in the end.
  std::vector<FileDescriptor> silent;
  for (std::size_t i = 0; i < Server::kMostConnections + 5; ++i)
    silent.push_back(connected(echo.port()));
  EXPECT_EQ(echoed(echo.port(), "hello"), "hello");
  EXPECT_EQ(echoed(echo.port(), std::string(200'000, 'x')), std::string(200'000, 'x'));
}

TEST(ViewServer, RefusesNonsenseAndGoesOn) {
  const Echo echo;
  const FileDescriptor socket = connected(echo.port());
  EXPECT_EQ(write_all(socket.get(), "\x16\x03\x01 nonsense\r\n\r\n"), 0);
  EXPECT_TRUE(all_of(socket.get()).starts_with("HTTP/1.1 400 "));
  { const FileDescriptor gone = connected(echo.port()); }
  EXPECT_EQ(echoed(echo.port(), "still there"), "still there");
}

TEST(ViewServer, AnswersOthersWhileOneSendsWithoutEnd) {
  using Clock = std::chrono::steady_clock;
  const Echo echo;
  const auto start = Clock::now();
  std::thread flood([&] {
    const FileDescriptor socket = connected(echo.port());
    (void)write_all(socket.get(), "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string much(1U << 20U, 'x');
    while (Clock::now() - start < std::chrono::seconds(10) &&
           ::send(socket.get(), much.data(), much.size(), MSG_NOSIGNAL) > 0) {
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(echoed(echo.port(), "hello"), "hello");
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(8));
  flood.join();
}

TEST(ViewServer, ListensOnTheLoopbackAddressOnly) {
  const Server server = Server::open(0).value();
  std::ifstream table("/proc/net/tcp");
  std::stringstream port;
  port << std::hex << std::uppercase << server.port();
  int found = 0;
  for (std::string line; std::getline(table, line);) {
    const std::size_t colon = line.find(':', line.find(':') + 1);
    const std::string local = line.substr(line.find(':') + 2, 13);
    if (colon == std::string::npos || !local.ends_with(":" + port.str())) continue;
    if (line.find(" 0A ") == std::string::npos) continue;  // listening
    EXPECT_EQ(local.substr(0, 8), "0100007F") << line;
    ++found;
  }
  EXPECT_EQ(found, 1);
}

TEST(ViewServer, SaysWhichPortIsTaken) {
  const Server server = Server::open(0).value();
  const auto second = Server::open(server.port());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().where, "--port");
  EXPECT_NE(second.error().what.find(std::to_string(server.port())), std::string::npos);
}

}  // namespace
}  // namespace espalier::view
