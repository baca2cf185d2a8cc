#include "profile/fold.hpp"

#include <gtest/gtest.h>

#include "profile/trace_writer.hpp"
#include "profile/workload.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::profile {
namespace {

/// What a trace does, loops run; computations only as such.
void unfold(const std::vector<Action>& actions, std::size_t begin, std::size_t end,
            std::vector<Action>& out) {
  for (std::size_t i = begin; i < end; ++i) {
    const Action& a = actions[i];
    if (a.kind != ActionKind::Loop) {
      out.push_back(a);
      continue;
    }
    for (std::uint64_t t = 0; t < a.times; ++t) unfold(actions, i + 1, i + 1 + a.body, out);
    i += a.body;
  }
}
std::vector<Action> unfolded(const std::vector<Action>& actions) {
  std::vector<Action> out;
  unfold(actions, 0, actions.size(), out);
  return out;
}

TEST(Folder, FindsTheLoopsOfAProgramAgain) {
  for (const std::string& name : workload_names()) {
    const auto made = make_workload(name + ".S", 16);
    const std::vector<Action>& actions = made->processes[5].actions;
    const std::vector<Action> all = unfolded(actions);
    Folder folder;
    for (const Action& a : all) folder.add(a);
    EXPECT_EQ(unfolded(folder.finish()), all) << name;
    EXPECT_LE(folder.finish().size(), 3 * actions.size() + 8) << name << ": " << all.size();
  }
}

TEST(FolderProperty, LosesNothingOfARandomTrace) {
  for_all_seeds(300, [](Random& rng) {
    std::vector<Action> all;
    TraceWriter out(all);
    const auto count = rng.below(200);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (rng.chance(20)) {
        out.recv(static_cast<Rank>(rng.below(2)), 8);
      } else {
        out.send(static_cast<Rank>(rng.below(2)), 8 * rng.below(2));
      }
    }
    Folder folder(8);
    for (const Action& a : all) folder.add(a);
    EXPECT_EQ(unfolded(folder.finish()), all);
  });
}

TEST(Folder, KeepsTheSumOfWhatComputationsTook) {
  Folder folder;
  for (int i = 1; i <= 100; ++i) {
    Action compute;
    compute.takes = microseconds(i);
    folder.add(compute);
    Action send;
    send.kind = ActionKind::Send;
    folder.add(send);
  }
  Time sum;
  for (const Action& a : unfolded(folder.finish())) sum += a.takes;
  EXPECT_NEAR(to_microseconds(sum), 5050, 1);
  EXPECT_EQ(folder.finish().size(), 3U);
}

}  // namespace
}  // namespace espalier::profile
