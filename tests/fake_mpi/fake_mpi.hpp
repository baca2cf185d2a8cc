#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "mpi/mpi_api.hpp"

/// As much of MPI as the executions call, all ranks in one thread: a test says whose calls are made
/// (World::me) and when a message arrives (deliver). Nothing happens by itself, so every order of
/// events can be tried. Blocking functions of MPI are not there.
namespace espalier::fake {

struct Request {
  bool is_complete = false;
  bool is_receive = false;
  bool is_freed = false;  ///< given up before it was complete
  int from = 0, to = 0, tag = 0;
  std::byte* address = nullptr;  ///< where a receive puts its data; nullptr for sends
  std::vector<std::pair<std::int64_t, std::size_t>>
      stretches;  ///< offset from `address` and length of each stretch of bytes
  MPI_Status status{};
};

struct Message {
  int from = 0, to = 0, tag = 0;
  std::size_t bytes = 0;
  std::vector<std::byte> data;  ///< empty while they stay with the sender
  bool stays = false;           ///< it needs a handshake: its data are read when it is received
  const std::byte* address = nullptr;  ///< where they stay, and in which stretches
  std::vector<std::pair<std::int64_t, std::size_t>> stretches = {};
  std::shared_ptr<Request> request;  ///< of the sender, if that waits for the receiver
};

class World {
 public:
  /// @param eager longest message that is sent without a handshake
  explicit World(int ranks, std::size_t eager = 64);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int me = 0;                                 ///< the rank whose calls are made now
  std::function<void()> before_look = [] {};  ///< called whenever MPI is asked what came

  [[nodiscard]] int size() const { return size_; }
  /// Pairs of ranks between which something is on the wire.
  [[nodiscard]] std::vector<std::pair<int, int>> on_the_wire() const;
  /// The first message from one rank to another arrives.
  void deliver(int from, int to);
  void deliver_all();
  /// Messages that arrived and that nobody asked for.
  [[nodiscard]] std::size_t unexpected() const;
  /// Receives that nothing came for, and messages on the wire.
  [[nodiscard]] std::size_t posted() const;
  /// Bytes from one rank that the other has to hold, on the wire or arrived, with so much for each
  /// message.
  [[nodiscard]] std::uint64_t held(int from, int to, std::uint64_t envelope) const;

  // How much work MPI was asked for.
  std::uint64_t tested = 0;  ///< requests that were looked at
  std::uint64_t calls = 0;   ///< calls of MPI
  std::uint64_t room = 0;    ///< bytes that receives were posted for

 private:
  friend struct Calls;
  void match(Message message, const std::shared_ptr<Request>& receive);

  int size_;
  std::size_t eager_;
  std::map<std::pair<int, int>, std::deque<Message>> wire_;
  std::deque<Message> arrived_;                  // that nobody asked for, oldest first
  std::deque<std::shared_ptr<Request>> posted_;  // receives, oldest first; freed ones among them
  /// All that were ever made, so that none is searched for; nullptr: complete and gone.
  std::deque<std::shared_ptr<Request>> requests_;
  struct Agreement {
    std::vector<double> largest;
    std::vector<std::pair<double*, std::shared_ptr<Request>>> members;
  };
  std::vector<Agreement> agreements_;     // collective calls, in their order
  std::vector<std::size_t> next_agreed_;  // for each rank
  std::map<std::uintptr_t, std::vector<std::pair<std::int64_t, std::size_t>>> types_;
  std::uintptr_t next_type_ = 0x100000;
};

/// The world that MPI's functions work on.
World& world();

}  // namespace espalier::fake
