// Processes that make progress inside their calls and nowhere else, as MPI programs do, on a
// network with little room: whatever waits for room must have left, and must be taken, by those who
// are in their calls.
#include <gtest/gtest.h>

#include <functional>

#include "group/group.hpp"
#include "support/for_all_seeds.hpp"
#include "support/group_cluster.hpp"

namespace espalier::group {
namespace {

using testing_support::Cluster;

/// What one process does, one call after the other, with the groups that it gets on the way.
class Program {
 public:
  Program(Process& process, std::uint64_t common, std::uint64_t own)
      : group_(process.world()), random_(common), own_(own) {}

  /// @return whether it is in a call
  bool go_on() {
    while (!over_ || over_()) {
      over_ = nullptr;
      if (finished()) return false;
      ++next_;
      begin();
    }
    return true;
  }
  [[nodiscard]] bool finished() const { return next_ == kCalls || !group_.member(); }

 private:
  static constexpr int kCalls = 8;

  void begin() {
    // The same numbers on all members: they have made the same calls.
    const auto what = random_.below(5);
    const auto root = static_cast<Rank>(random_.below(1U << 20U) % group_.size());
    const std::size_t segment = random_.chance(50) ? 0 : 16;
    const auto scheme = static_cast<Scheme>(random_.below(4));  // those without colours
    const RootWay way = random_.chance(50) ? RootWay::AnyVertex : RootWay::OwnTree;
    data_.assign(8, 1);
    const auto bytes = std::as_writable_bytes(std::span(data_));
    switch (what) {
      case 0:
        return wait_for(group_.barrier());
      case 1:
        return wait_for(group_.broadcast(bytes, root, segment, way));
      case 2:
        return wait_for(group_.reduce(bytes, sum_of<std::int64_t>(), root, segment, way));
      default: {
        Splitting making = group_.enroll(
            own_.chance(80), {.scheme = scheme, .routable = what == 3, .settled = true});
        over_ = [this, making]() mutable {
          if (!making.test()) return false;
          group_ = making.group();
          return true;
        };
      }
    }
  }
  void wait_for(Ticket ticket) {
    over_ = [ticket] { return ticket.test(); };
  }

  Group group_;
  Random random_, own_;
  std::vector<std::int64_t> data_;
  std::function<bool()> over_;
  int next_ = 0;
};

TEST(ProgressProperty, NobodyIsNeededOutsideItsCalls) {
  for_all_seeds(1500, [](Random& rng) {
    Cluster cluster(static_cast<Rank>(rng.between(1, 30)), static_cast<Rank>(rng.between(2, 4)),
                    rng.next());
    cluster.limit_room(static_cast<std::uint32_t>(rng.between(1, 3)));
    std::vector<Program> programs;
    const std::uint64_t common = rng.next();
    for (Id id = 0; id < cluster.size(); ++id) {
      programs.emplace_back(cluster.process(id), common, rng.next());
    }
    std::vector<bool> awake(cluster.size());
    do {
      for (Id id = 0; id < cluster.size(); ++id) awake[id] = programs[id].go_on();
    } while (cluster.step_among(awake));
    for (Id id = 0; id < cluster.size(); ++id) {
      ASSERT_TRUE(programs[id].finished()) << "process " << id << " waits for ever";
      ASSERT_FALSE(awake[id]) << "process " << id << " waits for ever";
    }
  });
}

}  // namespace
}  // namespace espalier::group
