#include "group/simulation.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace espalier::group {

Simulation::Simulation(const model::CostModel& model, Listener& listener)
    : model_(model), listener_(listener), free_at_(model.size()) {}

void Simulation::inject(Time at, Id to, Message message) { post(at, to, std::move(message)); }

void Simulation::run() {
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), [](const Event& a, const Event& b) {
      return std::tie(a.at, a.order) > std::tie(b.at, b.order);
    });
    const Event event = heap_.back();
    heap_.pop_back();
    deliver(event);
  }
}

void Simulation::deliver(const Event& event) {
  Envelope envelope = std::exchange(pool_[event.slot], {});
  unused_.push_back(event.slot);
  const Id to = envelope.to, from = envelope.message.from;
  Time begin = std::max(event.at, free_at_[to]);
  if (from != kNobody && from != to) {
    begin += model_.cost(from, to, wire_size(envelope.message)).receiver_busy;
  }
  const auto words = static_cast<std::int64_t>(envelope.message.words.size());
  free_at_[to] = begin + words * work_per_word_;
  Port port(*this, to);
  listener_.receive(envelope.message, port);
}

void Simulation::Port::send(Id to, Message message) {
  message.from = self_;
  owner_.count(message);
  Time& clock = owner_.free_at_[self_];
  if (to == self_) return owner_.post(clock, to, std::move(message));
  const model::MessageCost cost = owner_.model_.cost(self_, to, wire_size(message));
  // It is with its receiver before the receiver turns to it: that part is added on delivery.
  const Time arrives = clock + (cost.delivered - cost.receiver_busy);
  clock += cost.sender_busy;
  owner_.post(arrives, to, std::move(message));
}

void Simulation::post(Time at, Id to, Message message) {
  std::uint32_t slot = 0;
  if (unused_.empty()) {
    slot = static_cast<std::uint32_t>(pool_.size());
    pool_.emplace_back();
  } else {
    slot = unused_.back();
    unused_.pop_back();
  }
  pool_[slot] = {to, std::move(message)};
  heap_.push_back({at, order_++, slot});
  std::push_heap(heap_.begin(), heap_.end(), [](const Event& a, const Event& b) {
    return std::tie(a.at, a.order) > std::tie(b.at, b.order);
  });
}

void Simulation::count(const Message& message) {
  ++traffic_.messages[static_cast<std::size_t>(message.kind)];
  const std::uint64_t size = wire_size(message).value;
  traffic_.bytes += size;
  traffic_.largest_bytes = std::max(traffic_.largest_bytes, size);
  const std::uint32_t ids = message.ids == kManyIds ? message.words.size() : message.ids;
  traffic_.most_ids = std::max(traffic_.most_ids, ids);
}

}  // namespace espalier::group
