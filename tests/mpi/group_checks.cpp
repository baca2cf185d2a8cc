#include <algorithm>

#include "mpi/groups.hpp"

namespace espalier::mpi_test {

void expect_ranks(MPI_Comm parent, const Group& group, bool joined, Failures& failures) {
  int size = 0;
  PMPI_Comm_size(parent, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size), -1);
  const int mine = group.member() ? static_cast<int>(group.rank()) : -1;
  PMPI_Allgather(&mine, 1, MPI_INT, ranks.data(), 1, MPI_INT, parent);
  failures.expect(group.member() == joined, "a member that is none, or the reverse");
  if (!group.member()) return;
  std::vector<int> seen(static_cast<std::size_t>(size), 0);
  for (const int rank : ranks) {
    if (rank >= 0) ++seen[static_cast<std::size_t>(rank)];
  }
  const auto members = std::accumulate(seen.begin(), seen.end(), 0);
  failures.expect(static_cast<int>(group.size()) == members, "the group's size");
  for (int i = 0; i < members; ++i) {
    failures.expect(seen[static_cast<std::size_t>(i)] == 1, "rank " + std::to_string(i));
  }
}

namespace {

void weighted(void* in, void* into, int* count, MPI_Datatype*) {
  auto* a = static_cast<double*>(in);
  auto* b = static_cast<double*>(into);
  for (int i = 0; i < *count; ++i) b[i] = a[i] + b[i] + 1;
}

struct Case {
  std::size_t count = 0;
  GroupRank root = 0;
  CollectiveOptions options;
};

Case random_case(const Group& group, Random& common) {
  constexpr std::size_t kCounts[] = {0, 1, 7, 508, 509, 3000};
  Case c;
  c.count = kCounts[common.below(std::size(kCounts))];
  c.root = static_cast<GroupRank>(common.below(group.size()));
  if (common.chance(30))
    c.options.segment_bytes = static_cast<std::size_t>(common.between(1, 9000));
  c.options.root = static_cast<GroupRoot>(common.below(4));
  return c;
}

/// Numbers whose sums are exact.
std::vector<double> contribution(const Group& group, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<double>((group.rank() * 31 + i * 7) % 101);
  }
  return values;
}

}  // namespace

void expect_operations(const Group& group, MPI_Comm twin, Random& common, Failures& failures) {
  const Case c = random_case(group, common);
  const int count = static_cast<int>(c.count), root = static_cast<int>(c.root);
  const bool is_root = group.rank() == c.root;
  const std::vector<double> mine = contribution(group, c.count);
  const std::string text = " of " + std::to_string(count) + " on " + std::to_string(group.size()) +
                           " members, root " + std::to_string(root);
  std::vector<double> sent = mine, reduced = mine, all = mine, least = mine, own = mine;
  MPI_Op operation = MPI_OP_NULL;
  MPI_Op_create(weighted, 1, &operation);
  // All at once, waited for in another order than started.
  GroupRequest requests[] = {group.ibroadcast(sent, c.root, c.options),
                             group.ireduce(reduced, sum, c.root, c.options),
                             group.iallreduce(
                                 all, [](double a, double b) { return a + b; }, c.options),
                             group.iallreduce(least.data(), count, MPI_DOUBLE, MPI_MIN, c.options),
                             group.iallreduce(own.data(), count, MPI_DOUBLE, operation, c.options),
                             group.ibarrier()};
  for (const int i : {3, 0, 5, 1, 4, 2}) requests[i].wait();
  MPI_Op_free(&operation);

  std::vector<double> right = mine;
  PMPI_Bcast(right.data(), count, MPI_DOUBLE, root, twin);
  failures.expect(sent == right, "broadcast" + text);
  PMPI_Allreduce(mine.data(), right.data(), count, MPI_DOUBLE, MPI_SUM, twin);
  failures.expect(all == right, "allreduce" + text);
  failures.expect(reduced == (is_root ? right : mine), "reduce" + text);
  for (double& value : right) value += group.size() - 1;
  failures.expect(own == right, "allreduce with MPI_Op_create" + text);
  PMPI_Allreduce(mine.data(), right.data(), count, MPI_DOUBLE, MPI_MIN, twin);
  failures.expect(least == right, "allreduce with MPI_MIN" + text);
}

void expect_messages(const Group& group, Failures& failures) {
  for (GroupRank to = 0; to < group.size(); ++to) {
    group.send(to, std::vector<GroupRank>{group.rank(), to});
    group.send(to, std::vector<GroupRank>(2000, group.rank()));
  }
  for (GroupRank i = 0; i < group.size(); ++i) {
    const GroupParcel first = group.receive(i);
    const GroupParcel second = group.receive(i);
    GroupRank note[2] = {};
    failures.expect(first.from == i && first.data.size() == sizeof(note), "a short message");
    if (first.data.size() == sizeof(note)) std::memcpy(note, first.data.data(), sizeof(note));
    failures.expect(note[0] == i && note[1] == group.rank(), "what a short message says");
    failures.expect(second.data.size() == 2000 * sizeof(GroupRank), "a long message");
  }
  failures.expect(!group.try_receive(), "a message too many");
  group.barrier();  // others may still need us to find each other
  const GroupRank before = (group.rank() + group.size() - 1) % group.size();
  group.send((group.rank() + 1) % group.size(), std::vector<char>{'x'});
  failures.expect(group.receive().from == before, "a message from whom it may be");
  group.barrier();
}

void expect_communicator(const Group& group, MPI_Comm twin, Failures& failures) {
  MPI_Comm comm = MPI_COMM_NULL;
  failures.expect(group.to_communicator(&comm) == MPI_SUCCESS, "to_communicator");
  int same = MPI_UNEQUAL, rank = -1, sum_of_ranks = 0;
  PMPI_Comm_compare(comm, twin, &same);
  PMPI_Comm_rank(comm, &rank);
  failures.expect(same == MPI_CONGRUENT, "another communicator than the group");
  failures.expect(rank == static_cast<int>(group.rank()), "a rank of the communicator");
  MPI_Allreduce(&rank, &sum_of_ranks, 1, MPI_INT, MPI_SUM, comm);
  const auto size = static_cast<int>(group.size());
  failures.expect(sum_of_ranks == size * (size - 1) / 2, "a sum on the communicator");
  MPI_Comm_free(&comm);
}

void expect_topology(const Group& group, MPI_Comm twin, int (*site)(int rank), Random& common,
                     Failures& failures) {
  Group along = group.along_topology();
  failures.expect(along.size() == group.size(), "members of a tree along the topology");
  int self = 0, enters = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &self);
  const int parent = along.tree_parent();
  enters = parent < 0 || site(parent) != site(self) ? 1 : 0;
  // By site: those who enter it, and whether it has members.
  std::vector<int> mine(8, 0), all(8, 0);
  mine[static_cast<std::size_t>(site(self))] = enters;
  mine[static_cast<std::size_t>(4 + site(self))] = 1;
  PMPI_Allreduce(mine.data(), all.data(), 8, MPI_INT, MPI_SUM, twin);
  for (std::size_t i = 0; i < 4; ++i) {
    failures.expect(all[i] == (all[4 + i] > 0 ? 1 : 0), "a site that is no sub-tree");
  }
  MPI_Comm sorted = MPI_COMM_NULL;
  MPI_Comm_split(twin, 0, static_cast<int>(along.rank()), &sorted);
  expect_operations(along, sorted, common, failures);
  MPI_Comm_free(&sorted);
  along.free();
}

namespace {

/// Calls of a few bytes, hundreds of them, and constructions in which one is no member and could be
/// done at once: the last rank makes them, and the others come later.
void expect_short_windows(Groups& groups, Failures& failures) {
  Group group = groups.all().enroll(true);  // trees for its roots go with it
  const bool early = group.rank() == group.size() - 1;
  std::vector<std::int64_t> data(400, early ? 5 : 0), sums(400, 1);
  std::vector<GroupRequest> requests;
  std::vector<NewGroup> making;
  const auto start = [&] {
    for (std::size_t i = 0; i < data.size(); ++i) {
      requests.push_back(group.ibroadcast(std::span(data).subspan(i, 1), group.size() - 1));
      requests.push_back(group.ireduce(std::span(sums).subspan(i, 1), sum, 0));
      making.push_back(group.ienroll(false, {GroupScheme::ShrinkAndBalance}));
    }
  };
  if (early) start();
  for (int i = 0; i < 100; ++i) groups.progress();
  const std::size_t under_way = groups.statistics().sends_under_way;
  failures.expect(under_way <= 32 * std::size_t{group.size()}, "short sends under way");
  PMPI_Barrier(MPI_COMM_WORLD);
  if (!early) start();
  for (GroupRequest& request : requests) request.wait();
  for (NewGroup& one : making) failures.expect(!one.wait().member(), "a member of nothing");
  failures.expect(data == std::vector<std::int64_t>(400, 5), "short broadcasts");
  const std::int64_t right = group.rank() == 0 ? std::int64_t{group.size()} : 1;
  failures.expect(sums == std::vector<std::int64_t>(400, right), "short sums");
  group.barrier();
  group.free();
  failures.expect(groups.statistics().held_messages == 0, "messages that did not leave");
}

}  // namespace

void expect_windows(Groups& groups, Failures& failures) {
  const Group world = groups.all();
  const std::size_t degree = std::min<std::size_t>(16, world.size());  // no model chooses more
  for (const std::size_t segment : {std::size_t{0}, std::size_t{60'000}}) {
    std::vector<std::int64_t> data(1U << 20U, world.rank() == 0 ? 7 : 0), sums(data.size(), 1);
    const auto start = [&] {
      return std::pair(world.ibroadcast(data, 0, {segment}),
                       world.iallreduce(sums, sum, {segment}));
    };
    std::pair<GroupRequest, GroupRequest> requests;
    if (world.rank() == 0) requests = start();
    for (int i = 0; i < 100; ++i) groups.progress();
    const std::size_t under_way = groups.statistics().sends_under_way;
    failures.expect(under_way <= degree * 32, std::to_string(under_way) + " sends under way");
    PMPI_Barrier(MPI_COMM_WORLD);
    if (world.rank() != 0) requests = start();
    requests.second.wait();
    requests.first.wait();
    failures.expect(data == std::vector<std::int64_t>(data.size(), 7), "a long broadcast");
    failures.expect(sums == std::vector<std::int64_t>(sums.size(), world.size()), "a long sum");
  }
  expect_short_windows(groups, failures);
  const std::size_t most = groups.statistics().most_sends_under_way;
  failures.expect(most <= (degree + 1) * 32, std::to_string(most) + " sends were under way");
  if (world.rank() == 0) std::printf("%zu sends under way at most\n", most);
}

}  // namespace espalier::mpi_test
