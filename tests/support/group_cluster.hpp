#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "group/group.hpp"

namespace espalier::testing_support {

/// Processes and a network that delivers in any order.
class Cluster {
 public:
  Cluster(Rank size, Rank degree, std::uint64_t seed) : random_(seed) {
    for (group::Id id = 0; id < size; ++id) ports_.push_back(std::make_unique<Port>(*this, id));
    for (group::Id id = 0; id < size; ++id) {
      processes_.push_back(std::make_unique<group::Process>(*ports_[id], size, degree));
    }
  }
  [[nodiscard]] group::Process& process(group::Id id) { return *processes_[id]; }
  [[nodiscard]] Rank size() const { return static_cast<Rank>(processes_.size()); }
  /// Delivers one message. @return false if there is none
  bool step() {
    if (parcels_.empty()) return false;
    const std::size_t pick = random_.below(parcels_.size());
    std::swap(parcels_[pick], parcels_.back());
    auto [to, message] = std::move(parcels_.back());
    parcels_.pop_back();
    --under_way_[{message.from, to}];
    processes_[to]->receive(message);
    processes_[message.from]->pump();
    return true;
  }
  /// Delivers one message to a process that is awake, and lets those who are awake go on; to others
  /// nothing is delivered, and they do nothing. @return false if there is none
  bool step_among(const std::vector<bool>& awake) {
    std::vector<std::size_t> possible;
    for (std::size_t i = 0; i < parcels_.size(); ++i) {
      if (awake[parcels_[i].first]) possible.push_back(i);
    }
    if (possible.empty()) return false;
    std::swap(parcels_[possible[random_.below(possible.size())]], parcels_.back());
    auto [to, message] = std::move(parcels_.back());
    parcels_.pop_back();
    --under_way_[{message.from, to}];
    processes_[to]->receive(message);
    for (group::Id id = 0; id < size(); ++id) {
      if (awake[id]) processes_[id]->pump();
    }
    return true;
  }
  void run() {
    while (step()) {
    }
  }
  Random& random() { return random_; }
  /// From now on there is room for so many messages between two processes.
  void limit_room(std::uint32_t messages) { room_ = messages; }
  [[nodiscard]] std::uint32_t most_under_way() const { return most_under_way_; }

 private:
  class Port : public group::Endpoint {
   public:
    Port(Cluster& owner, group::Id self) : owner_(owner), self_(self) {}
    [[nodiscard]] group::Id self() const override { return self_; }
    void send(group::Id to, group::Message message) override {
      message.from = self_;
      owner_.parcels_.emplace_back(to, std::move(message));
      const std::uint32_t now = ++owner_.under_way_[{self_, to}];
      owner_.most_under_way_ = std::max(owner_.most_under_way_, now);
    }
    [[nodiscard]] bool has_room(group::Id to) const override {
      const auto it = owner_.under_way_.find({self_, to});
      return it == owner_.under_way_.end() || it->second < owner_.room_;
    }

   private:
    Cluster& owner_;
    group::Id self_;
  };
  Random random_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<std::unique_ptr<group::Process>> processes_;
  std::vector<std::pair<group::Id, group::Message>> parcels_;
  std::map<std::pair<group::Id, group::Id>, std::uint32_t> under_way_;
  std::uint32_t room_ = 1'000'000, most_under_way_ = 0;
};

}  // namespace espalier::testing_support
