#include "group/experiment.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/contract.hpp"
#include "base/random.hpp"

namespace espalier::group {
namespace {

/// All processes; each has a part in each construction only from its first message to its end.
class World : public Listener {
 public:
  World(Scheme scheme, const Experiment& experiment);

  void receive(const Message& message, Endpoint& endpoint) override;
  void set_clock(const Simulation& simulation) { clock_ = &simulation; }
  [[nodiscard]] Measurement result() const;
  /// What the trees that were made are good for.
  void try_trees(const model::CostModel& model, Measurement& result) const;

 private:
  struct Part {
    std::unique_ptr<Construction> construction;
    std::uint32_t peak = 0;
    std::uint32_t heard = 0;  // messages of the reduction on the new tree that came
    Words children;
    Id parent = kNobody;
    bool done = false, member = false;
  };

  Part& part(std::uint32_t group, Id id) {
    return parts_[std::size_t{group} * experiment_.processes + id];
  }
  Construction& construction(std::uint32_t group, Id id);
  void begin(Endpoint& endpoint);
  void make_traffic(const Message& message, Endpoint& endpoint);
  void check_end(std::uint32_t group, Endpoint& endpoint);
  void reduce(std::uint32_t group, Endpoint& endpoint);
  void note_memory(Part& part, std::size_t message);

  Scheme scheme_;
  Experiment experiment_;
  std::vector<GroupView> views_;
  std::vector<Part> parts_;
  const Simulation* clock_ = nullptr;
  Measurement result_;
};

/// Counts what a handler sends besides passing it on: it is the process's memory until it has left.
class CountingEndpoint : public Endpoint {
 public:
  explicit CountingEndpoint(Endpoint& endpoint) : endpoint_(endpoint) {}
  [[nodiscard]] Id self() const override { return endpoint_.self(); }
  void send(Id to, Message message) override {
    bytes_ += wire_size(message).value;
    endpoint_.send(to, std::move(message));
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  Endpoint& endpoint_;
  std::size_t bytes_ = 0;
};

World::World(Scheme scheme, const Experiment& experiment)
    : scheme_(scheme),
      experiment_(experiment),
      parts_(std::size_t{experiment.processes} * experiment.groups) {
  views_.reserve(experiment.processes);
  for (Id id = 0; id < experiment.processes; ++id) {
    views_.push_back(world_view(id, experiment.processes, experiment.degree));
  }
}

Construction& World::construction(std::uint32_t group, Id id) {
  Part& mine = part(group, id);
  expects(!mine.done, "a message came to a process that was done with its group");
  if (!mine.construction) {
    ConstructionOptions options{.degree = experiment_.degree};
    if (experiment_.path_of && scheme_ == Scheme::AlongTopology) {
      options.path = experiment_.path_of(id);
    }
    mine.construction = make_construction(scheme_, 1 + Tag{group}, views_[id], options);
  }
  return *mine.construction;
}

void World::receive(const Message& message, Endpoint& endpoint) {
  if (message.kind == Kind::Begin) return begin(endpoint);
  if (message.kind == Kind::Traffic) return make_traffic(message, endpoint);
  const auto group = static_cast<std::uint32_t>(message.tag - 1);
  Part& mine = part(group, endpoint.self());
  if (message.kind == Kind::Finish) {
    ++mine.heard;
    return reduce(group, endpoint);
  }
  Construction& made = construction(group, endpoint.self());
  note_memory(mine, wire_size(message).value);
  CountingEndpoint counting(endpoint);
  made.receive(message, counting);
  note_memory(mine, counting.bytes());
  check_end(group, endpoint);
}

void World::begin(Endpoint& endpoint) {
  const Id self = endpoint.self();
  for (const Id child : views_[self].children) endpoint.send(child, {0, 0, Kind::Begin, 0, {}});
  for (std::uint32_t group = 0; group < experiment_.groups; ++group) {
    CountingEndpoint counting(endpoint);
    construction(group, self).enter(drawn_colour(experiment_, group, self), counting);
    note_memory(part(group, self), counting.bytes());
    check_end(group, endpoint);
  }
}

/// Its one word is where it has to go; what has arrived there has none.
void World::make_traffic(const Message& message, Endpoint& endpoint) {
  if (message.words.size() != 1) return;
  Words padding;
  padding.assign(
      std::max<std::uint32_t>(2, static_cast<std::uint32_t>(experiment_.traffic.size.value / 4)),
      0);
  endpoint.send(message.words[0], {0, 0, Kind::Traffic, 0, std::move(padding)});
}

void World::note_memory(Part& mine, std::size_t message) {
  const std::size_t now = mine.construction->bytes() + message;
  mine.peak = std::max(mine.peak, static_cast<std::uint32_t>(now));
}

void World::check_end(std::uint32_t group, Endpoint& endpoint) {
  Part& mine = part(group, endpoint.self());
  if (mine.done || !mine.construction->done()) return;
  const GroupView view = mine.construction->view();
  mine.construction.reset();
  mine.done = true;
  mine.member = view.member();
  result_.made = std::max(result_.made, clock_->now(endpoint.self()));
  if (!mine.member) return;
  ++result_.members;
  mine.parent = view.parent;
  mine.children = view.children;
  result_.levels = std::max(result_.levels, view.depth + 1U);
  result_.memory.remaining = std::max(result_.memory.remaining, view.bytes());
  // A chain is no tree to reduce on: its collectives look for their partners as they go.
  if (scheme_ != Scheme::Chains) reduce(group, endpoint);
}

void World::reduce(std::uint32_t group, Endpoint& endpoint) {
  Part& mine = part(group, endpoint.self());
  if (!mine.done || mine.heard < mine.children.size()) return;
  if (mine.parent != kNobody) {
    return endpoint.send(mine.parent, {1 + Tag{group}, 0, Kind::Finish, 0, Words{1}});
  }
  result_.finish = std::max(result_.finish, clock_->now(endpoint.self()));
}

Measurement World::result() const {
  Measurement result = result_;
  double sum = 0;
  for (const Part& mine : parts_) {
    expects(mine.done, "a process was not done with its group at the end");
    result.memory.peak = std::max<std::size_t>(result.memory.peak, mine.peak);
    sum += mine.peak;
  }
  result.memory.mean_peak = sum / static_cast<double>(parts_.size());
  result.finish = std::max(result.finish, result.made);
  return result;
}

/// The level at which two paths part, or how long they are.
std::uint32_t parting(const Words& a, const Words& b) {
  const auto length = std::min(a.size(), b.size());
  std::uint32_t level = 0;
  while (level < length && a[level] == b[level]) ++level;
  return level;
}

void World::try_trees(const model::CostModel& model, Measurement& result) const {
  constexpr Bytes kSize{16 + 12 + 8};  // wire_size() with the head of a collective
  struct Reached {
    const Part* part;
    Id id;
    Time at;
  };
  std::vector<Reached> stack;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto id = static_cast<Id>(i % experiment_.processes);
    if (parts_[i].member && parts_[i].parent == kNobody) stack.push_back({&parts_[i], id, {}});
  }
  while (!stack.empty()) {
    const Reached from = stack.back();
    stack.pop_back();
    result.broadcast = std::max(result.broadcast, from.at);
    Time clock = from.at;
    const Part* const first = from.part - from.id;  // first part of its group
    for (const Id to : from.part->children) {
      const model::MessageCost cost = model.cost(from.id, to, kSize);
      stack.push_back({first + to, to, clock + cost.delivered});
      clock += cost.sender_busy;
      if (!experiment_.path_of) continue;
      const Words a = experiment_.path_of(from.id), b = experiment_.path_of(to);
      const std::uint32_t level = parting(a, b);
      if (level == std::max(a.size(), b.size())) continue;
      if (result.crossings.size() <= level) result.crossings.resize(level + 1);
      ++result.crossings[level];
    }
  }
}

void inject_traffic(const Experiment& experiment, Simulation& simulation) {
  Random random(experiment.seed ^ 0x7ff1c);
  for (Id id = 0; id < experiment.processes && experiment.processes > 1; ++id) {
    for (std::uint32_t i = 0; i < experiment.traffic.per_process; ++i) {
      const Time at{random.between(0, experiment.traffic.during.picoseconds)};
      auto to = static_cast<Id>(random.below(experiment.processes - 1));
      to += to >= id ? 1 : 0;
      simulation.inject(at, id, {0, kNobody, Kind::Traffic, 0, Words{to}});
    }
  }
}

}  // namespace

Colour drawn_colour(const Experiment& experiment, std::uint32_t group, Id process) {
  Random random((experiment.seed * 1'000'003 + group) * 0x9e3779b97f4a7c15ULL + process);
  (void)random.next();  // seeds that lie side by side
  if (random.below(1'000'000) >= experiment.millionths) return kNoColour;
  return static_cast<Colour>(random.below(experiment.colours));
}

Measurement measure(Scheme scheme, const Experiment& experiment, const model::CostModel& model) {
  expects(model.size() == experiment.processes, "measure: the model speaks of other processes");
  expects(experiment.colours == 1 || takes_colours(scheme), "measure: this scheme has one colour");
  World world(scheme, experiment);
  Simulation simulation(model, world);
  world.set_clock(simulation);
  simulation.set_work_per_word(experiment.work_per_word);
  inject_traffic(experiment, simulation);
  simulation.inject(Time{0}, 0, {0, kNobody, Kind::Begin, 0, {}});
  simulation.run();
  Measurement result = world.result();
  world.try_trees(model, result);
  result.traffic = simulation.traffic();
  return result;
}

std::uint64_t messages(const Traffic& traffic) {
  const std::uint64_t all =
      std::accumulate(traffic.messages.begin(), traffic.messages.end(), std::uint64_t{0});
  return all - traffic.of(Kind::Begin) - traffic.of(Kind::Finish) - traffic.of(Kind::Traffic);
}

std::uint64_t messages_as_in_paper(const Traffic& traffic) {
  return messages(traffic) - traffic.of(Kind::DownEmpty) - traffic.of(Kind::List);
}

}  // namespace espalier::group
