#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace espalier::trace {

/// What happened on one rank, in 24 bytes.
struct Event {
  enum class What : std::uint8_t { CallBegin, CallEnd, SendBegin, SendEnd, RecvBegin, RecvEnd };

  Event() = default;
  Event(Nanoseconds when, std::uint32_t number, What kind, Rank other = 0,
        std::uint32_t message = 0, std::uint32_t length = 0)
      : at(when), call(number), tag(message), bytes(length), peer(other & 0xffffffU), what(kind) {}

  Nanoseconds at;       ///< time by the clock of this rank
  std::uint32_t call;   ///< number of the call on its communicator
  std::uint32_t tag;    ///< a message's tag; of CallBegin the plan's index in the log
  std::uint32_t bytes;  ///< length of a message
  Rank peer : 24;       ///< the message's other rank
  What what;
};
static_assert(sizeof(Event) == 24);

/// How much memory all logs of a process may take together. Any thread may ask.
class Budget {
 public:
  explicit Budget(std::uint64_t bytes) : left_(static_cast<std::int64_t>(bytes)) {}
  /// @pre nothing was taken yet
  void set(std::uint64_t bytes) { left_.store(static_cast<std::int64_t>(bytes)); }
  [[nodiscard]] bool take(std::uint64_t bytes) {
    return left_.fetch_sub(static_cast<std::int64_t>(bytes)) >= static_cast<std::int64_t>(bytes);
  }

 private:
  std::atomic<std::int64_t> left_;
};

/// A rank's own view of a plan; Plan without the other ranks.
struct LoggedPlan {
  schedule::Collective call;
  bool irregular = false;
  std::string name;
  std::optional<Time> predicted;
  std::uint64_t program = 0;
};

/// What one rank sees of the calls on one communicator. When the budget is used up nothing more is
/// taken down, but calls are counted. One thread at a time.
class Log {
 public:
  /// @param id the same on all members, and for no other communicator
  Log(std::uint64_t id, Communicator communicator, Budget& budget)
      : id_(id), communicator_(std::move(communicator)), budget_(budget) {}

  /// @return index of the plan, for begin(); the same for the same plan. kNoPlan: the budget is
  /// used up
  std::uint32_t add_plan(LoggedPlan plan);
  static constexpr std::uint32_t kNoPlan = ~std::uint32_t{0};
  /// @param plan kNoPlan: the call is counted alone
  void begin(std::uint64_t call, std::uint32_t plan, Nanoseconds at) {
    ++calls_;
    if (plan == kNoPlan) return;
    add({at, static_cast<std::uint32_t>(call), Event::What::CallBegin, 0, plan});
  }
  void end(std::uint64_t call, Nanoseconds at) {
    add({at, static_cast<std::uint32_t>(call), Event::What::CallEnd});
  }
  void add(const Event& event) {
    if (next_ != end_ || grow()) *next_++ = event;
  }

  [[nodiscard]] bool is_full() const { return is_full_; }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }

  /// Everything, as bytes for a process of the same kind. The machine is there if this is the
  /// communicator's first rank, since one copy is enough.
  [[nodiscard]] std::string pack() const;

 private:
  static constexpr std::size_t kChunk = 2048;
  using Chunk = std::array<Event, kChunk>;
  bool grow();

  std::uint64_t id_;
  Communicator communicator_;
  Budget& budget_;
  bool is_full_ = false;
  std::uint64_t calls_ = 0;
  std::vector<LoggedPlan> plans_;
  std::map<std::string, std::uint32_t> index_of_;  // of plans, by their text
  std::vector<std::unique_ptr<Chunk>> chunks_;
  Event* next_ = nullptr;
  Event* end_ = nullptr;
};

/// What pack() wrote.
struct PackedLog {
  std::uint64_t id = 0;
  Communicator communicator;
  std::uint64_t calls = 0;
  std::vector<LoggedPlan> plans;
  std::vector<Event> events;
};
/// @return what could be read. @param bytes of pack(), once or several times after each other
[[nodiscard]] std::vector<PackedLog> unpack(std::span<const char> bytes);

/// Joins the logs of all processes.
/// @param logs [rank of MPI_COMM_WORLD], times by the clock of the trace
/// @return without program, hosts and clocks
[[nodiscard]] Trace join(const std::vector<std::vector<PackedLog>>& logs);

}  // namespace espalier::trace
