#include "sim/event_queue.hpp"

#include <algorithm>

namespace espalier::sim {

void EventQueue::push(Time at, Kind kind, std::uint32_t id, std::size_t lane_id) {
  const Event event{at, (std::uint64_t{static_cast<std::uint8_t>(kind)} << 32) | id};
  if (at == kForever) return;  // never happens
  Lane& lane = lanes_[lane_id];
  Event& front = fronts_[lane_id];
  if (front.at == kForever) {
    front = lane.last = event;
    if (event < fronts_[least_]) least_ = lane_id;
  } else if (lane.last < event) {
    lane.last = event;
    lane.events.push_back(event);
  } else {
    push_heap(event);
  }
}

EventQueue::Event EventQueue::pop() {
  const Event event = fronts_[least_];
  if (least_ == kHeap) {
    pop_heap();
  } else {
    pop_lane(least_);
  }
  find_least();
  return event;
}

void EventQueue::find_least() {
  least_ = 0;
  for (std::size_t i = 1; i < fronts_.size(); ++i) {
    if (fronts_[i] < fronts_[least_]) least_ = i;
  }
}

void EventQueue::pop_lane(std::size_t lane_id) {
  Lane& lane = lanes_[lane_id];
  if (lane.first == lane.events.size()) {
    lane.events.clear();
    lane.first = 0;
    fronts_[lane_id] = Event{};
    return;
  }
  fronts_[lane_id] = lane.events[lane.first++];
  // What is gone makes room once it is most of the lane: a constant effort an event.
  if (lane.first >= 1024 && lane.first * 2 > lane.events.size()) {
    lane.events.erase(lane.events.begin(),
                      lane.events.begin() + static_cast<std::ptrdiff_t>(lane.first));
    lane.first = 0;
  }
}

void EventQueue::push_heap(const Event& event) {
  Event& top = fronts_[kHeap];
  if (top.at == kForever) {
    top = event;
  } else {
    heap_.push_back(std::max(top, event));
    std::push_heap(heap_.begin(), heap_.end(),
                   [](const Event& a, const Event& b) { return b < a; });
    top = std::min(top, event);
  }
  if (top < fronts_[least_]) least_ = kHeap;
}

void EventQueue::pop_heap() {
  Event& top = fronts_[kHeap];
  if (heap_.empty()) {
    top = Event{};
    return;
  }
  top = heap_.front();
  std::pop_heap(heap_.begin(), heap_.end(), [](const Event& a, const Event& b) { return b < a; });
  heap_.pop_back();
}

}  // namespace espalier::sim
