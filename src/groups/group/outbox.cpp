#include "group/outbox.hpp"

#include <utility>

namespace espalier::group {

bool Outbox::has_room(Id to) const { return !waiting_.contains(to) && network_.has_room(to); }

void Outbox::send(Id to, Message message) {
  if (has_room(to)) return network_.send(to, std::move(message));
  ++by_tag_[message.tag];
  ++size_;
  waiting_[to].push_back(std::move(message));
}

void Outbox::pump() {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    auto& [to, messages] = *it;
    while (!messages.empty() && network_.has_room(to)) {
      const auto count = by_tag_.find(messages.front().tag);
      if (--count->second == 0) by_tag_.erase(count);
      --size_;
      network_.send(to, std::move(messages.front()));
      messages.pop_front();
    }
    it = messages.empty() ? waiting_.erase(it) : std::next(it);
  }
}

std::size_t Outbox::bytes() const {
  std::size_t total = 0;
  for (const auto& [to, messages] : waiting_) {
    for (const Message& message : messages)
      total += sizeof(message) + message.words.bytes_on_heap();
  }
  return total;
}

}  // namespace espalier::group
