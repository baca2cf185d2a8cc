#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "base/units.hpp"
#include "base/utf8.hpp"
#include "topology/hostlist.hpp"
#include "topology/machine_spec.hpp"
#include "topology/usual_figures.hpp"

namespace espalier::topology {
namespace {

constexpr std::uint32_t kMaxLevels = 120;

/// First failure wins: "no error" is an empty optional.
using Failure = std::optional<Error>;

NodeCosts with(NodeCosts costs, const CostOverride& over) {
  if (over.send) costs.send = *over.send;
  if (over.recv) costs.recv = *over.recv;
  if (over.reduce) costs.reduce = *over.reduce;
  if (over.speed_millionths) costs.speed_millionths = *over.speed_millionths;
  return costs;
}

Channel with(Channel channel, const ChannelOverride& over) {
  if (over.latency) channel.latency = *over.latency;
  if (over.backbone) channel.backbone = *over.backbone;
  if (over.flow_cap) channel.flow_cap = *over.flow_cap;
  return channel;
}

/// Figures of a leaf in a form that can be a map's key.
auto key_of(const Uplink& u, const NodeCosts& c) {
  return std::tuple(u.out, u.in, u.half_duplex, u.latency, c.send.fixed, c.send.rate, c.recv.fixed,
                    c.recv.rate, c.reduce, c.speed_millionths);
}
using ProfileKey = decltype(key_of(Uplink{}, NodeCosts{}));

Failure check_name(const std::string& name, const std::string& where) {
  if (!is_utf8(name)) return Error{where, "a name that is not UTF-8", "save the file as UTF-8"};
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f && c != '[' && c != ']' && c != ',') continue;
    return Error{where,
                 fmt::format("the name \"{}\" holds a bracket, comma or control character",
                             name.substr(0, 60)),
                 "rename it; brackets are for ranges such as \"node[0-15]\""};
  }
  return {};
}

/// The names of the machine and its levels are for people; anything that prints may stand in them.
Failure check_title(std::string_view whose, const std::string& title, const std::string& where) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (is_utf8(title) && std::none_of(title.begin(), title.end(), is_control)) return {};
  return Error{where, fmt::format("the name of {} holds control characters or is not UTF-8", whose),
               "rename it"};
}

Failure check_uplink(const std::optional<Uplink>& uplink, const std::string& where) {
  if (!uplink || !uplink->half_duplex || uplink->out == uplink->in) return {};
  return Error{where,
               fmt::format("half duplex shares one capacity, but out is {} and in is {}",
                           to_string(uplink->out), to_string(uplink->in)),
               "give one \"bandwidth\", or make it full duplex"};
}

std::uint32_t levels_below(const MemberSpec& spec) {
  std::uint32_t deepest = 0;
  for (const MemberSpec& member : spec.members) {
    deepest = std::max(deepest, 1 + levels_below(member));
  }
  return deepest;
}

}  // namespace

/// Spells a MachineSpec out into the flat vectors of a Machine.
class MachineBuilder {
 public:
  explicit MachineBuilder(const MachineSpec& spec) : spec_(spec) {}

  Expected<Machine> build() {
    if (Failure failure = prepare_levels()) return *failure;
    std::uint64_t processes = 0;
    std::uint64_t clusters = 0;
    if (Failure failure = count(spec_.whole, 1, processes, clusters)) return *failure;
    if (Failure failure = check_title("the machine", spec_.name, spec_.where)) return *failure;
    machine_.name_ = spec_.name;
    machine_.leaves_.reserve(processes);
    machine_.clusters_.reserve(clusters);
    if (Failure failure = add_cluster(spec_.whole, "", 0, 0, 0, NodeCosts{})) {
      return *failure;
    }
    number_members_of_each_level();
    return place();
  }

  static Machine with_figures(Machine machine, std::span<const LevelFigures> figures) {
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    const auto put_link = [](Uplink& uplink, const LevelFigures& level) {
      if (level.link) uplink.out = uplink.in = *level.link;
    };
    for (Cluster& cluster : machine.clusters_) {
      if (cluster.depth > 0) put_link(cluster.uplink, figures[cluster.depth - 1]);
      if (const auto& cap = figures[cluster.depth].flow_cap) cluster.channel.flow_cap = *cap;
      if (!figures[cluster.depth].latency) continue;
      cluster.channel.latency = *figures[cluster.depth].latency;
      for (std::uint32_t p = 0; p < cluster.pair_count; ++p) {
        machine.pairs_[cluster.first_pair + p].latency = cluster.channel.latency;
      }
    }
    if (std::none_of(figures.begin(), figures.end(),
                     [](const LevelFigures& level) { return level.link.has_value(); })) {
      return machine;
    }
    // Leaves of several depths may share one record of figures: each depth gets its own.
    // No other record stays, and none twice, as if the machine had been described like this.
    const auto before = std::move(machine.profiles_);
    machine.profiles_.clear();
    std::vector<std::vector<std::uint32_t>> changed(figures.size());
    for (auto& leaf : machine.leaves_) {
      const std::uint32_t depth = machine.clusters_[leaf.cluster].depth;
      const auto alike = static_cast<std::size_t>(
          std::find_if(figures.begin(), figures.end(),
                       [&](const LevelFigures& one) { return one.link == figures[depth].link; }) -
          figures.begin());
      changed[alike].resize(before.size(), kNone);
      std::uint32_t& own = changed[alike][leaf.profile];
      if (own == kNone) {
        auto profile = before[leaf.profile];
        put_link(profile.uplink, figures[depth]);
        own = static_cast<std::uint32_t>(machine.profiles_.size());
        machine.profiles_.push_back(profile);
      }
      leaf.profile = own;
    }
    return machine;
  }

 private:
  Failure prepare_levels() {
    const std::uint32_t needed = levels_below(spec_.whole);
    if (needed == 0) {
      return Error{spec_.where, "the machine has no processes", "give it members"};
    }
    if (needed > kMaxLevels) {
      return Error{spec_.where, fmt::format("{} levels; at most {} are read", needed, kMaxLevels),
                   "is one cluster nested in itself by mistake?"};
    }
    levels_ = spec_.levels;
    if (levels_.empty()) {
      for (std::uint32_t l = 0; l < needed; ++l)
        levels_.push_back({{fmt::format("level{}", l), ""}, {}, {}});
    }
    if (levels_.size() != needed) {
      return Error{
          spec_.where,
          fmt::format("{} levels are described but the tree has {}", levels_.size(), needed),
          "describe one level for each step from the whole machine down to a process"};
    }
    for (const LevelSpec& level : levels_) {
      if (Failure failure = check_uplink(level.uplink, spec_.where)) return failure;
      for (const std::string& name : {level.name.channel, level.name.members}) {
        if (Failure failure = check_title("a level", name, spec_.where)) return failure;
      }
      machine_.levels_.push_back(level.name);
    }
    return {};
  }

  /// How large it would become, before any of it is made.
  Failure count(const MemberSpec& spec, std::uint64_t times, std::uint64_t& processes,
                std::uint64_t& clusters) {
    auto names = count_hostlist(spec.name, kMaxProcesses);
    if (!names) return Error{spec.where, names.error().what, names.error().hint};
    if (spec.count == 0) return Error{spec.where, "a count of 0", "leave the member out"};
    if (spec.costs.speed_millionths == std::uint64_t{0}) {
      return Error{spec.where, "a speed of 0 computes nothing",
                   "write a number above 0; 1 is usual"};
    }
    const bool named_and_counted = spec.count > 1 && !spec.name.empty() && *names != spec.count;
    if (named_and_counted) {
      return Error{spec.where,
                   fmt::format("{} members but {} name{}: \"{:.60}\"", spec.count, *names,
                               *names == 1 ? "" : "s", spec.name),
                   fmt::format("write \"{:.60}[0-{}]\" and leave out the count",
                               spec.name.substr(0, spec.name.find('[')), spec.count - 1)};
    }
    unsigned __int128 total = times;
    total *= std::max(spec.count, *names);
    const bool is_process = spec.members.empty();
    std::uint64_t& sum = is_process ? processes : clusters;
    if (total + sum > kMaxProcesses) {
      return Error{
          spec.where,
          fmt::format("more than {} {}", kMaxProcesses, is_process ? "processes" : "clusters"),
          "check the counts and ranges"};
    }
    sum += static_cast<std::uint64_t>(total);
    for (const MemberSpec& member : spec.members) {
      if (Failure failure = count(member, static_cast<std::uint64_t>(total), processes, clusters)) {
        return failure;
      }
    }
    return {};
  }

  Failure add_cluster(const MemberSpec& spec, const std::string& name, ClusterId parent,
                      std::uint32_t index, std::uint32_t depth, const NodeCosts& inherited) {
    const auto id = static_cast<ClusterId>(machine_.clusters_.size());
    Cluster cluster;
    cluster.name = name;
    cluster.parent = parent;
    cluster.index = index;
    cluster.depth = depth;
    cluster.channel = with(levels_[depth].channel, spec.channel);
    if (depth > 0) cluster.uplink = spec.uplink.value_or(levels_[depth - 1].uplink);
    cluster.first_leaf = static_cast<Leaf>(machine_.leaves_.size());
    machine_.clusters_.push_back(cluster);
    if (Failure failure = check_name(name, spec.where)) return failure;
    if (Failure failure = check_uplink(spec.uplink, spec.where)) return failure;

    std::vector<Member> members;
    std::vector<std::string> names;
    const NodeCosts costs = with(inherited, spec.costs);
    for (const MemberSpec& member : spec.members) {
      if (Failure failure = add_members(member, id, depth, costs, members, names)) return failure;
    }
    Cluster& done = machine_.clusters_[id];
    done.leaf_count = static_cast<std::uint32_t>(machine_.leaves_.size()) - done.first_leaf;
    done.first_member = static_cast<std::uint32_t>(machine_.members_.size());
    done.member_count = static_cast<std::uint32_t>(members.size());
    machine_.members_.insert(machine_.members_.end(), members.begin(), members.end());
    if (Failure failure = refuse_a_name_twice(spec, names)) return failure;
    return add_pairs(spec, names, done);
  }

  Failure add_members(const MemberSpec& spec, ClusterId parent, std::uint32_t parent_depth,
                      const NodeCosts& inherited, std::vector<Member>& members,
                      std::vector<std::string>& names) {
    std::vector<std::string> own(spec.count);
    if (!spec.name.empty()) own = *expand_hostlist(spec.name, kMaxProcesses);
    for (std::string& name : own) {
      const auto index = static_cast<std::uint32_t>(members.size());
      if (spec.members.empty()) {
        members.push_back({true, static_cast<std::uint32_t>(machine_.leaves_.size())});
        if (Failure failure = add_leaf(spec, name, parent, index, parent_depth, inherited)) {
          return failure;
        }
      } else {
        members.push_back({false, static_cast<std::uint32_t>(machine_.clusters_.size())});
        if (Failure failure = add_cluster(spec, name, parent, index, parent_depth + 1, inherited)) {
          return failure;
        }
      }
      names.push_back(std::move(name));
    }
    return {};
  }

  Failure add_leaf(const MemberSpec& spec, const std::string& name, ClusterId parent,
                   std::uint32_t index, std::uint32_t parent_depth, const NodeCosts& inherited) {
    if (Failure failure = check_name(name, spec.where)) return failure;
    if (Failure failure = check_uplink(spec.uplink, spec.where)) return failure;
    if (!name.empty() && machine_.leaf_names_.empty()) {
      machine_.leaf_names_.resize(machine_.leaves_.size());
    }
    if (!name.empty() || !machine_.leaf_names_.empty()) machine_.leaf_names_.push_back(name);
    const Uplink uplink = spec.uplink.value_or(levels_[parent_depth].uplink);
    machine_.leaves_.push_back({parent, index, profile(uplink, with(inherited, spec.costs))});
    return {};
  }

  std::uint32_t profile(const Uplink& uplink, const NodeCosts& costs) {
    if (!machine_.profiles_.empty() && machine_.profiles_[last_profile_].uplink == uplink &&
        machine_.profiles_[last_profile_].costs == costs) {
      return last_profile_;
    }
    const auto next = static_cast<std::uint32_t>(machine_.profiles_.size());
    const auto [it, is_new] = profile_ids_.try_emplace(key_of(uplink, costs), next);
    if (is_new) machine_.profiles_.push_back({uplink, costs});
    return last_profile_ = it->second;
  }

  Failure refuse_a_name_twice(const MemberSpec& spec, const std::vector<std::string>& names) {
    std::vector<std::string> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    const auto twice =
        std::adjacent_find(sorted.begin(), sorted.end(),
                           [](const auto& a, const auto& b) { return a == b && !a.empty(); });
    if (twice == sorted.end()) return {};
    const std::vector<std::string> lines = where_called(spec, *twice);
    return Error{
        lines.back(),
        fmt::format("two members of one cluster are called \"{:.60}\"{}", *twice,
                    lines.size() > 1 ? fmt::format("; the other one: {}", lines.front()) : ""),
        "give each its own name, or none"};
  }

  /// Where the members of this name stand; one line only once.
  static std::vector<std::string> where_called(const MemberSpec& spec, const std::string& name) {
    std::vector<std::string> lines;
    for (const MemberSpec& member : spec.members) {
      if (member.name.empty()) continue;
      const auto names = expand_hostlist(member.name, kMaxProcesses);
      if (std::find(names->begin(), names->end(), name) == names->end()) continue;
      if (lines.empty() || lines.back() != member.where) lines.push_back(member.where);
    }
    if (lines.empty()) lines.push_back(spec.where);
    lines.resize(std::min<std::size_t>(lines.size(), 2));
    return lines;
  }

  /// Where each named member stands. Descriptions may have thousands of pairs.
  using Index = std::map<std::string_view, std::uint32_t>;
  static Index index_of(const std::vector<std::string>& names) {
    Index index;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!names[i].empty()) index.emplace(names[i], static_cast<std::uint32_t>(i));
    }
    return index;
  }

  /// A member by its name, else by its index.
  static std::optional<std::uint32_t> find_member(const Index& names, std::size_t count,
                                                  const std::string& wanted, bool is_index) {
    const auto it = names.find(wanted);
    if (it != names.end() && !is_index) return it->second;
    std::uint32_t index = 0;
    const auto [end, code] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
    const bool whole = code == std::errc() && end == wanted.data() + wanted.size();
    return whole && !wanted.empty() && index < count ? std::optional(index) : std::nullopt;
  }

  Failure add_pairs(const MemberSpec& spec, const std::vector<std::string>& names,
                    Cluster& cluster) {
    cluster.first_pair = static_cast<std::uint32_t>(machine_.pairs_.size());
    const Index index = spec.pairs.empty() ? Index() : index_of(names);
    for (const MemberSpec::Pair& pair : spec.pairs) {
      const auto a = find_member(index, names.size(), pair.a, pair.a_is_index);
      const auto b = find_member(index, names.size(), pair.b, pair.b_is_index);
      if (!a || !b || *a == *b) {
        return Error{
            pair.where,
            fmt::format(
                "a pair of \"{:.60}\" and \"{:.60}\", which are not two members of \"{:.60}\"",
                pair.a, pair.b, cluster.name.empty() ? "the machine" : cluster.name),
            "name two members of the same cluster, by name or by index from 0"};
      }
      const auto [low, high] = std::minmax(*a, *b);
      machine_.pairs_.push_back(
          {low, high, pair.latency.value_or(cluster.channel.latency), pair.capacity});
    }
    const auto first = machine_.pairs_.begin() + cluster.first_pair;
    const auto order = [](const PairLink& p) { return std::pair(p.a, p.b); };
    std::sort(first, machine_.pairs_.end(),
              [&](const PairLink& p, const PairLink& q) { return order(p) < order(q); });
    const auto twice = std::adjacent_find(
        first, machine_.pairs_.end(),
        [&](const PairLink& p, const PairLink& q) { return order(p) == order(q); });
    if (twice != machine_.pairs_.end()) {
      return Error{
          spec.where,
          fmt::format("the pair of members {} and {} is described twice", twice->a, twice->b),
          "keep one of them"};
    }
    cluster.pair_count = static_cast<std::uint32_t>(machine_.pairs_.size()) - cluster.first_pair;
    return {};
  }

  /// Karonis's cluster ids: the members of level l, clusters and processes alike, from the left.
  void number_members_of_each_level() {
    std::vector<std::uint32_t> next(machine_.levels_.size() + 1, 0);
    machine_.ordinal_.assign(machine_.clusters_.size(), 0);
    machine_.leaf_ordinal_.assign(machine_.leaves_.size(), 0);
    walk(0, next);
  }
  void walk(ClusterId id, std::vector<std::uint32_t>& next) {
    const Cluster& cluster = machine_.clusters_[id];
    for (const Member& member : machine_.members(cluster)) {
      (member.is_leaf ? machine_.leaf_ordinal_ : machine_.ordinal_)[member.id] =
          next[cluster.depth]++;
      if (!member.is_leaf) walk(member.id, next);
    }
  }

  Expected<Machine> place() {
    const auto size = static_cast<std::uint32_t>(machine_.leaves_.size());
    machine_.leaf_of_rank_.resize(size);
    machine_.rank_of_leaf_.resize(size);
    for (std::uint32_t i = 0; i < size; ++i)
      machine_.leaf_of_rank_[i] = machine_.rank_of_leaf_[i] = i;
    if (spec_.placement == PlacementKind::Block) return std::move(machine_);
    if (spec_.placement == PlacementKind::Cyclic) {
      const std::vector<Leaf> leaves = cyclic_placement(machine_);
      return with_placement(std::move(machine_), leaves);
    }
    std::vector<Leaf> leaves;
    std::vector<bool> taken(size, false);
    for (const std::uint64_t leaf : spec_.listed) {
      if (leaf >= size || taken[leaf]) {
        return Error{
            spec_.where,
            fmt::format("the placement puts rank {} on place {}, which {}", leaves.size(), leaf,
                        leaf >= size ? fmt::format("does not exist: there are {}", size)
                                     : "is taken by an earlier rank"),
            "list each place from 0 on exactly once"};
      }
      taken[leaf] = true;
      leaves.push_back(static_cast<Leaf>(leaf));
    }
    if (leaves.size() != size) {
      return Error{spec_.where,
                   fmt::format("the placement lists {} ranks but the machine has {} places",
                               leaves.size(), size),
                   "list each place from 0 on exactly once"};
    }
    return with_placement(std::move(machine_), leaves);
  }

  const MachineSpec& spec_;
  std::vector<LevelSpec> levels_;
  Machine machine_;
  std::map<ProfileKey, std::uint32_t> profile_ids_;
  std::uint32_t last_profile_ = 0;
};

Expected<Machine> build_machine(const MachineSpec& spec) { return MachineBuilder(spec).build(); }

Machine with_level_figures(Machine machine, std::span<const LevelFigures> figures) {
  return MachineBuilder::with_figures(std::move(machine), figures);
}

}  // namespace espalier::topology
