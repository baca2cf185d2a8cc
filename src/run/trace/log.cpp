#include "trace/log.hpp"

#include <cstring>

#include "base/json.hpp"

namespace espalier::trace {
namespace {

/// What stands before the events of a log: lengths of the two parts.
struct PackedHead {
  std::uint64_t text = 0;
  std::uint64_t events = 0;
};

Json plan_to_json(const LoggedPlan& plan) {
  return {static_cast<int>(plan.call.operation),
          plan.call.size,
          plan.call.root,
          plan.call.count,
          plan.call.element.value,
          plan.call.commutative,
          plan.irregular,
          plan.name,
          plan.predicted ? Json(plan.predicted->picoseconds) : Json(),
          plan.program};
}

LoggedPlan plan_from_json(const Json& json) {
  LoggedPlan plan;
  plan.call.operation = static_cast<schedule::Operation>(json.at(0).get<int>());
  plan.call.size = json.at(1).get<Rank>();
  plan.call.root = json.at(2).get<Rank>();
  plan.call.count = json.at(3).get<std::uint64_t>();
  plan.call.element.value = json.at(4).get<std::uint64_t>();
  plan.call.commutative = json.at(5).get<bool>();
  plan.irregular = json.at(6).get<bool>();
  plan.name = json.at(7).get<std::string>();
  if (!json.at(8).is_null()) plan.predicted = Time{json.at(8).get<std::int64_t>()};
  plan.program = json.at(9).get<std::uint64_t>();
  return plan;
}

}  // namespace

std::uint32_t Log::add_plan(LoggedPlan plan) {
  std::string text = plan_to_json(plan).dump();
  const auto known = index_of_.find(text);
  if (known != index_of_.end()) return known->second;
  // Its text is kept twice, here and in pack().
  if (is_full_ || !budget_.take(2 * text.size() + sizeof plan)) {
    is_full_ = true;
    return kNoPlan;
  }
  plans_.push_back(std::move(plan));
  const auto index = static_cast<std::uint32_t>(plans_.size() - 1);
  index_of_.emplace(std::move(text), index);
  return index;
}

bool Log::grow() {
  if (is_full_) return false;
  is_full_ = !budget_.take(sizeof(Chunk));
  if (is_full_) return false;
  chunks_.push_back(std::make_unique<Chunk>());
  next_ = chunks_.back()->data();
  end_ = next_ + kChunk;
  return true;
}

std::string Log::pack() const {
  Json head{{"id", id_},
            {"name", communicator_.name},
            {"members", communicator_.members},
            {"machine", communicator_.machine},
            {"calls", calls_},
            {"plans", Json::array()}};
  for (const LoggedPlan& plan : plans_) head["plans"].push_back(plan_to_json(plan));
  const std::string text = head.dump();
  const auto unused = static_cast<std::size_t>(end_ - next_);
  const std::size_t events = chunks_.size() * kChunk - unused;
  const PackedHead lengths{text.size(), events};
  std::string packed(sizeof lengths, '\0');
  std::memcpy(packed.data(), &lengths, sizeof lengths);
  packed += text;
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    const std::size_t used = c + 1 < chunks_.size() ? kChunk : kChunk - unused;
    packed.append(reinterpret_cast<const char*>(chunks_[c]->data()), used * sizeof(Event));
  }
  return packed;
}

std::vector<PackedLog> unpack(std::span<const char> bytes) {
  std::vector<PackedLog> logs;
  while (bytes.size() >= sizeof(PackedHead)) {
    PackedHead lengths;
    std::memcpy(&lengths, bytes.data(), sizeof lengths);
    bytes = bytes.subspan(sizeof lengths);
    if (bytes.size() < lengths.text + lengths.events * sizeof(Event)) return logs;
    const Json json = Json::parse({bytes.data(), lengths.text});
    bytes = bytes.subspan(lengths.text);
    PackedLog& log = logs.emplace_back();
    log.id = json.at("id").get<std::uint64_t>();
    log.communicator.name = json.at("name").get<std::string>();
    log.communicator.members = json.at("members").get<std::vector<Rank>>();
    log.communicator.machine = json.at("machine").get<std::string>();
    log.calls = json.at("calls").get<std::uint64_t>();
    for (const Json& plan : json.at("plans")) log.plans.push_back(plan_from_json(plan));
    log.events.resize(lengths.events);
    std::memcpy(log.events.data(), bytes.data(), lengths.events * sizeof(Event));
    bytes = bytes.subspan(lengths.events * sizeof(Event));
  }
  return logs;
}

}  // namespace espalier::trace
