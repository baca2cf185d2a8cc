#include "cost/round_loads.hpp"

#include <algorithm>

namespace espalier::cost {
namespace {

bool is_of_a_process(const sim::Resource& resource) {
  using Kind = sim::Resource::Kind;
  return resource.kind == Kind::LeafOut || resource.kind == Kind::LeafIn ||
         resource.kind == Kind::LeafBoth;
}

}  // namespace

RoundLoads::RoundLoads(const CostView& cost_view)
    : cost_view_(cost_view),
      has_pairs_(std::any_of(cost_view.machine().clusters().begin(),
                             cost_view.machine().clusters().end(),
                             [](const topology::Cluster& c) { return c.pair_count != 0; })),
      carried_(cost_view.resources(), 0),
      works_(cost_view.size(), 0),
      receives_(cost_view.size(), false) {}

/// @param own_links count those of the two processes; @param others count all between them
void RoundLoads::cross(Rank from, Rank to, double bytes, double messages, bool own_links,
                       bool others) {
  cost_view_.find_route(from, to, route_);
  latency_ =
      std::max(latency_, cost_view_.latency(route_) + bytes * cost_view_.cap_per_byte(route_));
  for (const sim::ResourceId r : route_.resources()) {
    if (is_of_a_process(cost_view_.resource(r)) ? !own_links : !others) continue;
    carried_[r] += messages * bytes * cost_view_.per_byte(r);
  }
}

/// A process's own link carries the same on all ways: any other process shows which it is.
void RoundLoads::cross_own_link(Rank from, Rank to, double sent, Rank whose) {
  cost_view_.find_route(from, to, route_);
  for (const sim::ResourceId r : route_.resources()) {
    const sim::Resource& resource = cost_view_.resource(r);
    if (!is_of_a_process(resource) || resource.id != cost_view_.machine().leaf_of(whose)) continue;
    carried_[r] += sent * cost_view_.per_byte(r);
  }
}

void RoundLoads::add(Rank from, Rank to, double bytes) {
  cross(from, to, bytes, 1, true, true);
  works_[from] += cost_view_.send(from, bytes);
  works_[to] += cost_view_.recv(to, bytes);
  receives_[to] = true;
}

/// Ranks of one innermost cluster cross the same resources, but for their own links.
void RoundLoads::add_all(std::span<const Rank> members, std::span<const Rank> targets,
                         std::span<const double> bytes) {
  if (has_pairs_ || members.size() < 2) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      for (const Rank from : members) {
        if (from != targets[i]) add(from, targets[i], bytes[i]);
      }
    }
    return;
  }
  const topology::Machine& machine = cost_view_.machine();
  const auto cluster_of = [&](Rank rank) { return machine.cluster_of(machine.leaf_of(rank)); };
  std::vector<std::vector<Rank>> parts;  // members by innermost cluster
  std::vector<std::size_t> part_of(machine.clusters().size(), members.size());
  for (const Rank rank : members) {
    std::size_t& part = part_of[cluster_of(rank)];
    if (part == members.size()) {
      part = parts.size();
      parts.emplace_back();
    }
    parts[part].push_back(rank);
  }
  std::vector<double> own(cost_view_.size(), 0);  // bytes that each target needs not send
  double all = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    own[targets[i]] += bytes[i];
    all += bytes[i];
  }
  const auto senders = static_cast<double>(members.size() - 1);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Rank to = targets[i];
    receives_[to] = true;
    works_[to] += senders * cost_view_.recv(to, bytes[i]);
    for (const std::vector<Rank>& part : parts) {
      const bool is_own = cluster_of(part.front()) == cluster_of(to);
      const Rank from = part.front() == to ? part.back() : part.front();
      if (from == to) continue;  // alone in its cluster
      const auto messages = static_cast<double>(part.size() - (is_own ? 1 : 0));
      cross(from, to, bytes[i], messages, false, true);
    }
  }
  for (const Rank from : members) {
    const Rank other = members.front() == from ? members.back() : members.front();
    cross_own_link(from, other, all - own[from], from);
    const auto sends = static_cast<double>(targets.size()) - (own[from] > 0 ? 1 : 0);
    works_[from] += (sends - 1) * cost_view_.send(from, 0) + cost_view_.send(from, all - own[from]);
    if (own[from] > 0) cross_own_link(other, from, senders * own[from], from);
  }
}

void RoundLoads::add_scan(std::span<const Rank> members, double bytes) {
  const std::size_t size = members.size();
  for (std::size_t i = 0; i < size; ++i) {
    const Rank rank = members[i];
    const auto before = static_cast<double>(i), after = static_cast<double>(size - 1 - i);
    works_[rank] += after * cost_view_.send(rank, bytes) +
                    before * (cost_view_.recv(rank, bytes) + cost_view_.combine(rank, bytes));
    receives_[rank] = receives_[rank] || i > 0;
    for (std::size_t k = i + 1; has_pairs_ && k < size; ++k) {
      cross(rank, members[k], bytes, 1, true, true);
    }
    if (has_pairs_ || size < 2) continue;
    const Rank other = i == 0 ? members.back() : members.front();
    cross_own_link(rank, other, after * bytes, rank);
    cross_own_link(other, rank, before * bytes, rank);
  }
  if (has_pairs_) return;
  // Messages between each two innermost clusters, each told by its first and last member.
  struct Part {
    Rank first, last;
    double so_far = 0;
  };
  const topology::Machine& machine = cost_view_.machine();
  std::vector<Part> parts;
  std::vector<std::size_t> part_of(machine.clusters().size(), size);
  for (const Rank rank : members) {
    std::size_t& part = part_of[machine.cluster_of(machine.leaf_of(rank))];
    if (part == size) {
      part = parts.size();
      parts.push_back({rank, rank});
    }
    parts[part].last = rank;
  }
  std::vector<double> messages(parts.size() * parts.size(), 0);  // [from][to]
  for (const Rank rank : members) {
    const std::size_t to = part_of[machine.cluster_of(machine.leaf_of(rank))];
    for (std::size_t from = 0; from < parts.size(); ++from) {
      messages[from * parts.size() + to] += parts[from].so_far;
    }
    parts[to].so_far += 1;
  }
  for (std::size_t from = 0; from < parts.size(); ++from) {
    for (std::size_t to = 0; to < parts.size(); ++to) {
      const double here = messages[from * parts.size() + to];
      if (here > 0) cross(parts[from].first, parts[to].last, bytes, here, false, true);
    }
  }
}

Picos RoundLoads::busiest() const {
  return std::max(*std::max_element(works_.begin(), works_.end()),
                  carried_.empty() ? 0 : *std::max_element(carried_.begin(), carried_.end()));
}

}  // namespace espalier::cost
