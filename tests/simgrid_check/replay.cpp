#include "simgrid_check/replay.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "simgrid_check/versions.hpp"

namespace espalier::simgrid_check {
namespace {

using schedule::Op;
using schedule::OpKind;
using schedule::Program;
using schedule::Region;
using topology::Machine;

double seconds_of(Time t) { return static_cast<double>(t.picoseconds) * 1e-12; }

/// SimGrid would carry an empty message without its latency's end; a byte is as good as none.
std::uint64_t simulated(std::uint64_t bytes) { return std::max<std::uint64_t>(bytes, 1); }

char token;  // what travels; nobody looks at it

/// A message that has been handed to its connection.
struct Letter {
  std::string name;  ///< of its mailbox
  std::uint64_t bytes = 0;
  bool eager = false;
  double handed_over = 0;
};

/// Messages of one ordered pair, one after the other.
struct Connection {
  std::deque<Letter> letters;
  s4u::SemaphorePtr waiting = s4u::Semaphore::create(0);
  double latency_over = 0;  ///< of the message that is about to start
};

/// What all actors share; only one of them runs at a time.
struct World {
  const schedule::Schedule& plan;
  const Machine& machine;
  const ReplayOptions& options;
  std::map<std::pair<Rank, Rank>, Connection> connections;
  std::map<std::string, double> posted;  ///< Recvs, by mailbox
  std::vector<s4u::ActorPtr> actors;
  std::vector<double> finish;

  [[nodiscard]] double latency(Rank from, Rank to) const {
    return seconds_of(machine.path(from, to).latency);
  }
};

std::string mailbox_name(Rank from, Rank to, std::uint32_t tag) {
  return std::to_string(from) + ">" + std::to_string(to) + "#" + std::to_string(tag);
}

void run_connection(World& world, Rank from, Rank to, Connection& connection) {
  for (;;) {
    connection.waiting->acquire();
    const Letter letter = connection.letters.front();
    connection.letters.pop_front();
    // Its latency ran while the one before it was still moving. A rendezvous counts from when
    // both were ready.
    double ready = letter.handed_over;
    if (!letter.eager) {
      const auto it = world.posted.find(letter.name);
      ready = std::max(ready, it == world.posted.end() ? s4u::Engine::get_clock() : it->second);
    }
    connection.latency_over = ready + world.latency(from, to);
    s4u::Mailbox::by_name(letter.name)->put(&token, simulated(letter.bytes));
    if (!letter.eager) s4u::Mailbox::by_name(letter.name + "!")->put_init(&token, 0)->detach();
  }
}

class RankActor {
 public:
  RankActor(World& world, Rank rank)
      : world_(world), rank_(rank), program_(world.plan.programs[rank]) {}

  void run() {
    const std::size_t count = program_.ops.size();
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < count; ++i) {
      waits_.push_back(program_.ops[i].dep_count);
      members_left_.push_back(0);
      successors_.emplace_back();
      for (const std::uint32_t dep : program_.deps_of(program_.ops[i])) {
        successors_[dep].push_back(i);
      }
      if (waits_[i] == 0) free.push_back(i);
    }
    ops_left_ = count;
    for (const std::size_t op : free) make_ready(op);
    while (ops_left_ > 0) step();
    world_.finish[rank_] = s4u::Engine::get_clock();
  }

 private:
  struct Member {
    Rank peer = 0;
    std::uint64_t bytes = 0;
    std::string mailbox;
  };
  using TaskKey = std::pair<std::size_t, std::size_t>;  // op, member

  std::uint64_t bytes_of(const Region& region) const {
    return program_.units(region) * world_.plan.call.element.value;
  }

  void make_ready(std::size_t op_id) {
    const Op& op = program_.ops[op_id];
    std::vector<Member>& members = members_[op_id];
    if (op.kind == OpKind::Send || op.kind == OpKind::Recv) {
      schedule::for_each_message(program_, op, [&](Rank peer, const Region& region) {
        const bool out = op.kind == OpKind::Send;
        members.push_back(
            {peer, bytes_of(region), mailbox_name(out ? rank_ : peer, out ? peer : rank_, op.tag)});
      });
    } else {
      members.push_back({kNoRank, bytes_of(op.from), ""});
    }
    members_left_[op_id] = members.size();
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (op.kind != OpKind::Recv) {
        ready_.insert({op_id, k});
        continue;
      }
      world_.posted[members[k].mailbox] = s4u::Engine::get_clock();
      pending_.push_back(s4u::Mailbox::by_name(members[k].mailbox)->get_async<char>(&received_));
      pending_keys_.push_back({op_id, k});
    }
  }

  void step() {
    for (ssize_t i; !pending_.empty() && (i = test_any(pending_)) >= 0;) completed(i);
    if (ops_left_ == 0) return;
    if (ready_.empty()) {
      completed(wait_any(pending_));
      return;
    }
    const TaskKey key = *ready_.begin();
    ready_.erase(ready_.begin());
    const double cost = cost_of(key);
    if (cost > 0) s4u::this_actor::sleep_for(cost);
    if (program_.ops[key.first].kind == OpKind::Send) return send(key);
    end_member(key.first);
  }

  /// A message has arrived, or a rendezvous of ours has.
  void completed(ssize_t index) {
    const TaskKey key = pending_keys_[static_cast<std::size_t>(index)];
    pending_.erase(pending_.begin() + index);
    pending_keys_.erase(pending_keys_.begin() + index);
    if (program_.ops[key.first].kind == OpKind::Recv) {
      ready_.insert(key);
    } else {
      end_member(key.first);
    }
  }

  double cost_of(const TaskKey& key) const {
    const Bytes bytes{members_.at(key.first)[key.second].bytes};
    const topology::NodeCosts& costs = world_.machine.costs(rank_);
    switch (program_.ops[key.first].kind) {
      case OpKind::Send:
        return seconds_of(costs.send.of(bytes));
      case OpKind::Recv:
        return seconds_of(costs.recv.of(bytes));
      case OpKind::Reduce:
        return seconds_of(transfer_time(bytes, costs.reduce));
      case OpKind::Compute:
        return seconds_of(program_.ops[key.first].takes);
      case OpKind::Copy:
        break;
    }
    return 0;
  }

  void send(const TaskKey& key) {
    const Member& m = members_.at(key.first)[key.second];
    const bool eager = m.bytes < world_.options.eager_limit.value;
    s4u::Mailbox* mailbox = s4u::Mailbox::by_name(m.mailbox);
    if (eager) mailbox->set_receiver(world_.actors[m.peer]);
    if (world_.options.ordered_pairs) {
      Connection& connection = world_.connections.at({rank_, m.peer});
      connection.letters.push_back({m.mailbox, m.bytes, eager, s4u::Engine::get_clock()});
      connection.waiting->release();
      if (!eager) await(s4u::Mailbox::by_name(m.mailbox + "!")->get_async<char>(&received_), key);
    } else if (eager) {
      mailbox->put_init(&token, simulated(m.bytes))->detach();
    } else {
      await(mailbox->put_async(&token, simulated(m.bytes)), key);
    }
    if (eager) end_member(key.first);
  }

  void await(s4u::CommPtr comm, const TaskKey& key) {
    pending_.push_back(std::move(comm));
    pending_keys_.push_back(key);
  }

  void end_member(std::size_t op_id) {
    if (--members_left_[op_id] != 0) return;
    --ops_left_;
    for (const std::size_t next : successors_[op_id]) {
      if (--waits_[next] == 0) make_ready(next);
    }
  }

  World& world_;
  Rank rank_;
  const Program& program_;
  std::vector<std::size_t> waits_;
  std::vector<std::size_t> members_left_;
  std::vector<std::vector<std::size_t>> successors_;
  std::map<std::size_t, std::vector<Member>> members_;  // of the ops that became ready
  std::set<TaskKey> ready_;
  std::vector<s4u::CommPtr> pending_;
  std::vector<TaskKey> pending_keys_;
  std::size_t ops_left_ = 0;
  char* received_ = nullptr;
};

void make_connections(World& world) {
  for (const Program& program : world.plan.programs) {
    for (const Op& op : program.ops) {
      if (op.kind != OpKind::Send) continue;
      schedule::for_each_message(program, op, [&](Rank peer, const Region&) {
        world.connections.try_emplace({program.rank, peer});
      });
    }
  }
  for (auto& [pair, connection] : world.connections) {
    const auto [from, to] = pair;
    add_actor("c", s4u::Host::by_name("r" + std::to_string(from)),
              [&world, from = from, to = to, &connection = connection] {
                run_connection(world, from, to, connection);
              })
        ->daemonize();
  }
}

}  // namespace

std::vector<double> replay(const schedule::Schedule& plan, const Machine& machine,
                           const ReplayOptions& options) {
  // The platform's figures as they are: no factors, no window, no reverse traffic.
  std::vector<std::string> args{"replay",
                                "--cfg=network/model:CM02",
                                "--cfg=network/crosstraffic:0",
                                "--cfg=network/weight-S:0",
                                "--cfg=network/TCP-gamma:1e15",
                                "--cfg=network/loopback-lat:0",
                                "--cfg=contexts/stack-size:128",
                                "--log=root.thres:critical"};
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  int argc = static_cast<int>(argv.size());
  s4u::Engine engine(&argc, argv.data());

  World world{plan, machine, options, {}, {}, {}, std::vector<double>(machine.size(), -1)};
  build_platform(machine, options.weights, [&world](Rank from, Rank to) {
    if (!world.options.ordered_pairs) return world.latency(from, to);
    return std::max(0.0, world.connections.at({from, to}).latency_over - s4u::Engine::get_clock());
  });
  std::vector<std::unique_ptr<RankActor>> ranks;
  for (Rank r = 0; r < machine.size(); ++r) {
    ranks.push_back(std::make_unique<RankActor>(world, r));
    world.actors.push_back(add_actor("r", s4u::Host::by_name("r" + std::to_string(r)),
                                     [&ranks, r] { ranks[r]->run(); }));
  }
  if (options.ordered_pairs) make_connections(world);
  engine.run();
  return world.finish;
}

}  // namespace espalier::simgrid_check
