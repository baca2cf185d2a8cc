#include "fake_mpi/fake_roles.hpp"

#include <algorithm>
#include <utility>

#include "mpi/role_run.hpp"

namespace espalier::fake {

using mpi::RoleRun;
using runtime::RoleEntry;

namespace {

constexpr std::uint64_t kSignature = 5;

mpi::RoleCall call_of(mpi::BlockBuffers* buffers) {
  return {kSignature, [](Rank) { return runtime::PeerLink{}; }, buffers};
}

/// Appends the sub-tree of a member: itself, then those of its children.
/// @param parents of each member, as an index of a member before it; the first has none
void append_tree(const std::vector<Rank>& members, const std::vector<std::size_t>& parents,
                 std::size_t which, const std::vector<std::uint64_t>& numbers,
                 std::vector<RoleEntry>& tree) {
  const std::size_t at = tree.size();
  tree.push_back({members[which], 8 * numbers[members[which]], 1});
  for (std::size_t child = which + 1; child < members.size(); ++child) {
    if (parents[child] == which) append_tree(members, parents, child, numbers, tree);
  }
  tree[at].tree = static_cast<std::uint32_t>(tree.size() - at);
}

/// The longest message along a tree: that to some child of the root.
std::uint64_t longest_along(const std::vector<RoleEntry>& tree) {
  std::uint64_t longest = 0;
  for_each_child(tree, [&](runtime::Roles child) {
    std::uint64_t bytes = runtime::kMaxRoleHeadBytes;
    for (const RoleEntry& role : child) bytes += runtime::kMaxRoleEntryBytes + role.bytes;
    longest = std::max(longest, bytes);
  });
  return longest;
}

/// The place of a rank in a tree; the size of the tree: it has none.
std::size_t place_of(Rank rank, const std::vector<RoleEntry>& tree) {
  const auto found = std::find_if(tree.begin(), tree.end(),
                                  [rank](const auto& role) { return role.rank == rank; });
  return static_cast<std::size_t>(found - tree.begin());
}

/// Of a rank that has no part in a call.
struct NoRun : RankRun {
  bool step() override { return false; }
  [[nodiscard]] bool is_done() const override { return true; }
  [[nodiscard]] int code() const override { return MPI_SUCCESS; }
};

struct RoleRankRun : RankRun {
  RoleRankRun(mpi::Channel& channel, mpi::BlockBuffers* buffers, std::uint64_t number)
      : roles(channel, call_of(buffers), number) {}
  bool step() override { return roles.step(); }
  [[nodiscard]] bool is_done() const override { return roles.is_done(); }
  [[nodiscard]] int code() const override { return roles.code(); }
  RoleRun roles;
};

}  // namespace

std::vector<RoleEntry> random_tree(Rank root, std::vector<Rank> others,
                                   const std::vector<std::uint64_t>& numbers, Random& rng) {
  rng.shuffle(std::span(others));
  std::vector<Rank> members{root};
  members.insert(members.end(), others.begin(), others.end());
  std::vector<std::size_t> parents{0};
  while (parents.size() < members.size()) parents.push_back(rng.below(parents.size()));
  std::vector<RoleEntry> tree;
  append_tree(members, parents, 0, numbers, tree);
  return tree;
}

FakeScatterv::FakeScatterv(Rank root, std::vector<std::uint64_t> numbers, Random& rng)
    : in_(numbers.size()), out_(numbers.size()), buffers_(numbers.size()) {
  std::vector<Rank> with_data;
  for (Rank r = 0; r < numbers.size(); ++r) {
    if (r != root && numbers[r] > 0) with_data.push_back(r);
    in_[r].resize(numbers[r]);
    for (std::int64_t& number : in_[r]) number = static_cast<std::int64_t>(rng.below(1000));
    out_[r].assign(numbers[r], -1);
    buffers_[root].in.push_back(
        {reinterpret_cast<const std::byte*>(in_[r].data()), 8 * numbers[r]});
    buffers_[r].out.push_back({reinterpret_cast<std::byte*>(out_[r].data()), 8 * numbers[r]});
  }
  tree_ = random_tree(root, std::move(with_data), numbers, rng);
}

std::unique_ptr<RankRun> FakeScatterv::begin(mpi::Channel& channel) {
  const std::uint64_t number = channel.take_number();
  const Rank rank = channel.rank();
  if (place_of(rank, tree_) == tree_.size()) return std::make_unique<NoRun>();
  auto run = std::make_unique<RoleRankRun>(channel, &buffers_[rank], number);
  if (rank == tree_.front().rank) {
    run->roles.scatter(tree_);
  } else {
    run->roles.receive();
  }
  return run;
}

std::string FakeScatterv::wrong(Rank rank) const {
  return out_[rank] == in_[rank] ? "" : "another block than was sent";
}

std::uint64_t FakeScatterv::longest_message() const { return longest_along(tree_); }

/// The root tells before it gathers. The others hear when they have ended the gather.
class AnnouncedGather::Run : public RankRun {
 public:
  Run(AnnouncedGather& call, mpi::Channel& channel)
      : call_(call),
        rank_(channel.rank()),
        is_root_(rank_ == call.tree_.front().rank),
        announcement_(channel, call_of(nullptr), channel.calls() + 1) {
    if (is_root_) announcement_.tell(call.tree_);
    gather_ = call.gather_.begin(channel);
    channel.take_number();  // the announcement's
  }
  bool step() override {
    bool has_moved = gather_->step();
    if (!is_root_ && !hears_ && gather_->is_done()) {
      announcement_.receive();
      hears_ = has_moved = true;
    }
    if (is_root_ || hears_) has_moved |= announcement_.step();
    if (is_done() && !is_root_) {
      call_.heard_[rank_] = {announcement_.told().by, announcement_.told().roles};
    }
    return has_moved;
  }
  [[nodiscard]] bool is_done() const override {
    return gather_->is_done() && (is_root_ || hears_) && announcement_.is_done();
  }
  [[nodiscard]] int code() const override {
    return gather_->code() != MPI_SUCCESS ? gather_->code() : announcement_.code();
  }

 private:
  AnnouncedGather& call_;
  Rank rank_;
  bool is_root_;
  bool hears_ = false;
  RoleRun announcement_;
  std::unique_ptr<RankRun> gather_;
};

AnnouncedGather::AnnouncedGather(FakeCall gather, Random& rng)
    : gather_(std::move(gather)), heard_(gather_.call().size) {
  const Rank root = gather_.call().root, size = gather_.call().size;
  std::vector<Rank> others;
  for (Rank r = 0; r < size; ++r) {
    if (r != root) others.push_back(r);
  }
  tree_ = random_tree(root, std::move(others), std::vector<std::uint64_t>(size, 0), rng);
}

std::unique_ptr<RankRun> AnnouncedGather::begin(mpi::Channel& channel) {
  return std::make_unique<Run>(*this, channel);
}

std::string AnnouncedGather::wrong(Rank rank) const {
  std::string text = gather_.wrong(rank);
  if (!text.empty() || rank == tree_.front().rank) return text;
  const std::size_t at = place_of(rank, tree_);
  const runtime::Roles own = runtime::Roles(tree_).subspan(at, tree_[at].tree);
  const Heard& heard = heard_[rank];
  if (!std::equal(own.begin(), own.end(), heard.roles.begin(), heard.roles.end())) {
    return "it heard of another tree";
  }
  // The parent is the last one before it whose sub-tree reaches as far.
  std::size_t parent = at - 1;
  while (parent + tree_[parent].tree <= at) --parent;
  return heard.by == tree_[parent].rank ? "" : "it heard from another rank than its parent";
}

std::uint64_t AnnouncedGather::longest_message() const {
  return std::max(gather_.longest_message(), longest_along(tree_));
}

FakeScatterv random_scatterv(Rank size, Random& rng, std::uint64_t most, std::uint64_t longest) {
  std::vector<std::uint64_t> numbers(size);
  for (std::uint64_t& count : numbers) count = rng.chance(30) ? 0 : rng.below(most + 1);
  if (longest > 0) numbers[rng.below(size)] = longest;
  const auto root = static_cast<Rank>(rng.below(size));
  return {root, std::move(numbers), rng};
}

AnnouncedGather random_announced(const collective::Hierarchy& hierarchy, Random& rng,
                                 std::uint64_t most_elements) {
  return {random_call_of(schedule::Operation::Gather, hierarchy, rng, most_elements), rng};
}

}  // namespace espalier::fake
