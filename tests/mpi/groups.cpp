// System-ranked groups on real MPI: made, used and freed, several at once and nested; results
// beside MPI's on the same members; nothing left behind; more of them alive than MPI has
// communicators.
//
//   groups [--cases N] [--made L] [--alive M] [--seed S]
#include "mpi/groups.hpp"

#include <algorithm>

namespace espalier::mpi_test {
namespace {

constexpr GroupScheme kSchemes[] = {GroupScheme::RankAndHash, GroupScheme::ShrinkAndBalance,
                                    GroupScheme::ShrinkByChildren, GroupScheme::Centralized};

/// A seed that all ranks share, and one of their own.
struct Randoms {
  Random common, own;
};

int site_given(int rank) { return rank % 3; }
int site_of_machine(int rank) { return rank / 16; }

/// A group below `group`: used, split again, freed. `communicator` holds the same members.
void use(const Group& group, MPI_Comm communicator, Randoms& r, int depth, Failures& failures) {
  if (!group.member()) return;
  Random common(r.common.next() + group.size());
  expect_operations(group, communicator, common, failures);
  if (common.chance(10)) expect_messages(group, failures);
  if (common.chance(10)) expect_communicator(group, communicator, failures);
  if (depth == 0) return;
  const SplitOptions options{kSchemes[common.below(4)], static_cast<unsigned>(common.below(5))};
  const bool joins = r.own.chance(70);
  Group inner = group.enroll(joins, options);
  expect_ranks(communicator, inner, joins, failures);
  MPI_Comm twin = native_twin(communicator, inner);
  Randoms below{Random(common.next()), Random(r.own.next())};
  use(inner, twin, below, depth - 1, failures);
  if (twin != MPI_COMM_NULL) MPI_Comm_free(&twin);
  inner.free();
}

/// Ranks by key and a tree with another root, beside MPI_Comm_split's order.
void reorder(const Group& group, MPI_Comm communicator, Randoms& r, Failures& failures) {
  const auto key = static_cast<int>(r.own.below(5));
  Group ranked = group.ranked_by(static_cast<std::uint64_t>(key));
  MPI_Comm sorted = MPI_COMM_NULL;
  MPI_Comm_split(communicator, 0, key, &sorted);  // ties by rank, as ours
  int rank = -1;
  MPI_Comm_rank(sorted, &rank);
  failures.expect(rank == static_cast<int>(ranked.rank()), "a rank by key");
  expect_operations(ranked, sorted, r.common, failures);
  const auto root = static_cast<GroupRank>(r.common.below(group.size()));
  Group rooted = group.rooted_at(root);
  failures.expect((group.rank() == root) == (rooted.rank() == 0), "the root of a tree");
  ranked.free();
  rooted.free();
  MPI_Comm_free(&sorted);
}

/// Several made at once: splits by colour and enrolments, of which the last is waited for first.
void several_at_once(const Group& world, int rank, Randoms& r, Failures& failures) {
  std::vector<NewGroup> making;
  std::vector<int> colours;
  for (int i = 1; i <= 4; ++i) {
    colours.push_back(r.own.chance(15) ? MPI_UNDEFINED : static_cast<int>(r.own.below(3)));
    making.push_back(world.isplit(colours.back()));
  }
  std::vector<Group> groups(making.size());
  int polls = 0;  // each makes progress with all of them
  while (!making.back().test() && polls < 1000) ++polls;
  for (std::size_t i = making.size(); i-- > 0;) groups[i] = making[i].wait();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    MPI_Comm twin = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, colours[i], static_cast<int>(groups[i].rank()), &twin);
    failures.expect(groups[i].member() == (twin != MPI_COMM_NULL), "a colour");
    if (twin == MPI_COMM_NULL) continue;
    int size = 0, place = 0;
    MPI_Comm_size(twin, &size);
    MPI_Comm_rank(twin, &place);
    failures.expect(static_cast<int>(groups[i].size()) == size, "the size of a colour");
    failures.expect(static_cast<int>(groups[i].rank()) == place, "ranks of a colour");
    Randoms below{Random(static_cast<std::uint64_t>(i)), Random(static_cast<std::uint64_t>(rank))};
    use(groups[i], twin, below, 0, failures);
    MPI_Comm_free(&twin);
  }
  for (Group& group : groups) group.free();
}

void expect_nothing_left(Groups& groups, std::size_t bytes, Failures& failures) {
  // Frees are over when everybody has made them and made progress since.
  groups.all().barrier();
  for (int tries = 0; tries < 10000; ++tries) {
    groups.progress();
    const GroupStatistics now = groups.statistics();
    int busy = now.live_groups > 1 || now.sends_under_way > 0 ? 1 : 0, anywhere = 0;
    PMPI_Allreduce(&busy, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (anywhere == 0) break;
  }
  const GroupStatistics now = groups.statistics();
  failures.expect(now.live_groups == 1, std::to_string(now.live_groups) + " groups are left");
  failures.expect(now.waiting_messages == 0, "messages are left");
  failures.expect(now.sends_under_way == 0, "requests are left");
  failures.expect(now.bytes == bytes, "bytes are left");
}

/// Made three at a time, a fourth inside the first, used and freed; without any call of MPI
/// between, so that processes drift apart. Who joins is known to all: the sums are.
void many_made(const Group& world, std::uint64_t count, Random common, Failures& failures) {
  const auto joins = [](std::uint64_t salt, std::uint64_t id) {
    return Random(salt * 4096 + id).chance(70);
  };
  for (std::uint64_t made = 0; made < count; made += 4) {
    const std::uint64_t salt = common.below(1'000'000'000);
    std::vector<NewGroup> making;
    for (std::uint64_t i = 0; i < 3; ++i) {
      making.push_back(world.ienroll(joins(salt + i, world.rank()), {kSchemes[(made + i) % 4]}));
    }
    std::vector<Group> groups;
    for (NewGroup& one : making) groups.push_back(one.wait());
    if (groups[0].member()) groups.push_back(groups[0].enroll(joins(salt + 3, world.rank())));
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (!groups[i].member()) continue;
      std::vector<std::int64_t> values(600, world.rank());
      groups[i].allreduce(values, sum);
      std::int64_t right = 0;
      for (GroupRank id = 0; id < world.size(); ++id) {
        const bool in = joins(salt + i, id) && (i < 3 || joins(salt, id));
        right += in ? std::int64_t{id} : 0;
      }
      failures.expect(values == std::vector<std::int64_t>(600, right), "a sum of the members");
    }
    for (Group& group : groups) group.free();
  }
}

void many_alive(Groups& groups, std::uint64_t count, Failures& failures) {
  const std::size_t before = groups.statistics().bytes;
  std::vector<Group> alive;
  for (std::uint64_t i = 0; i < count; ++i) alive.push_back(groups.all().enroll(true));
  const GroupStatistics now = groups.statistics();
  failures.expect(now.live_groups == count + 1, "groups that are alive");
  failures.expect((now.bytes - before) / count < 800, "memory of a group");
  if (groups.all().rank() == 0) {
    std::printf("%zu groups alive, %zu bytes each\n", alive.size(), (now.bytes - before) / count);
  }
  for (const std::size_t i : {std::size_t{0}, alive.size() / 2, alive.size() - 1}) {
    std::vector<std::int64_t> one{1};
    alive[i].allreduce(one, sum);
    failures.expect(one[0] == alive[i].size(), "a sum on one of many");
  }
  for (Group& group : alive) group.free();
}

/// A root that is used again and again gets a tree unasked where the network's figures say that it
/// pays, and not otherwise; the tree goes with its group.
void expect_trees(Groups& groups, bool known, Failures& failures) {
  Group group = groups.all().enroll(true);
  const GroupRank root = group.size() - 1;
  for (int i = 0; i < 200; ++i) {
    std::vector<std::int64_t> value{group.rank() == root ? i : 0}, one{1};
    group.broadcast(value, root);
    group.reduce(one, sum, root);
    failures.expect(value[0] == i, "a broadcast over a tree of its own");
    failures.expect(one[0] == (group.rank() == root ? std::int64_t{group.size()} : 1),
                    "a reduction over a tree of its own");
  }
  const std::size_t trees = groups.statistics().trees_for_roots;
  failures.expect(trees == (known && root > 0 ? 1 : 0), std::to_string(trees) + " trees");
  std::vector<std::int64_t> value{group.rank() == root / 2 ? 7 : 0};
  group.broadcast(value, root / 2, {.root = GroupRoot::OwnTree});
  failures.expect(value[0] == 7, "a broadcast over a tree that was asked for");
  group.free();
  failures.expect(groups.statistics().trees_for_roots == 0, "a tree without its group");
}

/// Calls that nobody waits for are over when the groups are closed.
void expect_left_calls(Failures& failures) {
  std::vector<std::int64_t> sums(5000, 1), sent(5000, 0), ones(5, 1);
  GroupRank size = 0;
  bool is_root = false;
  {
    Groups groups(MPI_COMM_WORLD);
    const Group row = groups.all().enroll(true);
    size = row.size();
    is_root = row.rank() == size - 1;
    if (is_root) sent.assign(5000, 7);
    static_cast<void>(row.iallreduce(sums, sum));
    static_cast<void>(row.ibroadcast(sent, size - 1));
    static_cast<void>(row.ireduce(ones, sum, size - 1, {.root = GroupRoot::OwnTree}));
    static_cast<void>(row.ienroll(true));
    static_cast<void>(groups.all().ibarrier());
  }
  failures.expect(sums == std::vector<std::int64_t>(5000, size), "a sum that was left");
  failures.expect(sent == std::vector<std::int64_t>(5000, 7), "a broadcast that was left");
  failures.expect(ones == std::vector<std::int64_t>(5, is_root ? size : 1), "a reduction, left");
}

void refusals(const Group& world, Failures& failures) {
  const auto refuses = [&](const char* what, auto call) {
    try {
      call();
      failures.expect(false, std::string("not refused: ") + what);
    } catch (const std::logic_error&) {
    }
  };
  std::vector<int> data(1);
  refuses("a root", [&] { world.broadcast(data, world.size()); });
  refuses("a rank", [&] { world.send(world.size(), data); });
  refuses("a colour", [&] { (void)world.isplit(-5); });
  refuses("a degree", [&] { (void)world.ienroll(true, {.degree = 300}); });
  refuses("a root that is worth a tree", [&] { (void)world.worth_a_tree(world.size(), 8, 1); });
  refuses("no member", [&] { Group().barrier(); });
  refuses("a chain along the topology", [&] { (void)world.ialong_topology({.degree = 1}); });
  refuses("the world's end", [&] { Group(world).free(); });
  refuses("gaps", [&] { (void)world.iallreduce(data.data(), 0, MPI_DOUBLE_INT, MPI_MINLOC); });
  MPI_Op order = MPI_OP_NULL;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 0, &order);
  refuses("an order", [&] { (void)world.iallreduce(data.data(), 1, MPI_INT, order); });
  MPI_Op_free(&order);
}

int run(int argc, char** argv) {
  Failures failures;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::uint64_t seed = option(argc, argv, "--seed", 1);
  const std::uint64_t cases = option(argc, argv, "--cases", 100);
  {
    GroupsOptions options;
    if (seed % 2 == 0) options.network = GroupNetwork{2000, 500, 1'000'000'000};
    if (seed % 2 == 0) {
      options.machine = "site:2(1ms) node:4(10us) proc:4(1us)";
    } else {
      options.clusters = [](int of) {
        return ClusterPath{static_cast<std::uint32_t>(site_given(of)),
                           static_cast<std::uint32_t>(of % 6)};
      };
    }
    Groups groups(MPI_COMM_WORLD, options);
    const Group world = groups.all();
    const std::size_t bytes = groups.statistics().bytes;
    failures.expect(static_cast<int>(world.rank()) == rank, "the world's ranks are MPI's");
    failures.expect(!world.worth_a_tree(0, 8, 1'000'000), "a tree for the root that is there");
    failures.expect(world.worth_a_tree(world.size() - 1, 8, 1'000'000) ==
                        (options.network.has_value() && world.size() > 1),
                    "a tree for a root that is used often");
    refusals(world, failures);
    expect_windows(groups, failures);
    expect_trees(groups, options.network.has_value(), failures);
    Randoms r{Random(seed), Random(1000 * seed + static_cast<std::uint64_t>(rank))};
    for (std::uint64_t i = 0; i < cases; ++i) {
      const bool joins = r.own.chance(80);
      Group group = world.enroll(joins, {kSchemes[r.common.below(4)]});
      MPI_Comm twin = native_twin(MPI_COMM_WORLD, group);
      Randoms below{Random(r.common.next()), Random(r.own.next())};
      use(group, twin, below, i % 4 == 0 ? 2 : 0, failures);
      if (group.member() && i % 8 == 0) reorder(group, twin, below, failures);
      if (group.member() && i % 4 == 1) {
        expect_topology(group, twin, seed % 2 == 0 ? site_of_machine : site_given, below.common,
                        failures);
      }
      if (twin != MPI_COMM_NULL) MPI_Comm_free(&twin);
      group.free();
      if (i % 8 == 3) several_at_once(world, rank, r, failures);
    }
    many_made(world, option(argc, argv, "--made", 0), r.common, failures);
    expect_nothing_left(groups, bytes, failures);
    if (const std::uint64_t alive = option(argc, argv, "--alive", 0); alive > 0) {
      many_alive(groups, alive, failures);
      expect_nothing_left(groups, bytes, failures);
    }
    failures.expect(groups.error() == MPI_SUCCESS, "an error of MPI");
  }
  expect_left_calls(failures);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
