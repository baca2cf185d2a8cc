#pragma once

#include <array>
#include <vector>

#include "group/endpoint.hpp"
#include "model/cost_model.hpp"

namespace espalier::group {

/// What was sent, by kind.
struct Traffic {
  std::array<std::uint64_t, kKinds> messages{};
  std::uint64_t bytes = 0;
  std::uint64_t largest_bytes = 0;
  std::uint32_t most_ids = 0;  ///< most ids in one message

  [[nodiscard]] std::uint64_t of(Kind kind) const {
    return messages[static_cast<std::size_t>(kind)];
  }
};

/// Processes that do something when a message comes; one object stands for all of them.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void receive(const Message& message, Endpoint& endpoint) = 0;
};

/// Many processes in one: events in the order of their time, under a cost model.
///
/// A process is busy with one thing at a time: it takes messages in the order of their arrival,
/// each for `receiver_busy`, and sends one after the other, each for `sender_busy`. A message to
/// oneself costs nothing but is counted. Equal times: in the order of sending. 24 bytes an event
/// and 56 a message under way.
class Simulation {
 public:
  Simulation(const model::CostModel& model, Listener& listener);

  /// A message that arrives at a process at this time, sent by nobody: to begin with.
  void inject(Time at, Id to, Message message);
  /// Also charges the receiver for work on each word of a message: a sort, a merge.
  void set_work_per_word(Time work) { work_per_word_ = work; }
  /// Until nothing is under way.
  void run();

  [[nodiscard]] Time now(Id process) const { return free_at_[process]; }
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  struct Event {
    Time at;
    std::uint64_t order = 0;
    std::uint32_t slot = 0;
  };
  struct Envelope {
    Id to = kNobody;
    Message message;
  };
  class Port : public Endpoint {
   public:
    Port(Simulation& owner, Id self) : owner_(owner), self_(self) {}
    [[nodiscard]] Id self() const override { return self_; }
    void send(Id to, Message message) override;

   private:
    Simulation& owner_;
    Id self_;
  };
  friend class Port;

  void post(Time at, Id to, Message message);
  void deliver(const Event& event);
  void count(const Message& message);

  const model::CostModel& model_;
  Listener& listener_;
  Time work_per_word_;
  std::vector<Time> free_at_;
  std::vector<Event> heap_;
  std::vector<Envelope> pool_;
  std::vector<std::uint32_t> unused_;
  std::uint64_t order_ = 0;
  Traffic traffic_;
};

}  // namespace espalier::group
