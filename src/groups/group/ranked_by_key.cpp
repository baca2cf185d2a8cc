// A. Langer, R. Venkataraman, L. Kale (EuroMPI 2012) leave ranks to the system and name a sort for
// who wants others; which one is ours to choose: see merge_exchange_rounds().
#include "group/ranked_by_key.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "group/endpoint.hpp"

namespace espalier::group {
namespace {

/// Knuth's t: 2^t is the least power of two that is not below size.
std::uint32_t log_of(Rank size) {
  std::uint32_t t = 0;
  while ((std::uint64_t{1} << t) < size) ++t;
  return t;
}

}  // namespace

std::uint32_t merge_exchange_rounds(Rank size) {
  const std::uint32_t t = log_of(size);
  return t * (t + 1) / 2;
}

std::optional<Rank> merge_exchange_partner(Rank position, Rank size, std::uint32_t round) {
  expects(position < size && round < merge_exchange_rounds(size), "merge exchange: no such round");
  const std::uint32_t t = log_of(size);
  // Pass s = 0 .. t-1 has p = 2^(t-1-s) and s + 1 rounds: (q = 2^(t-1), r = 0, d = p), and then
  // r = p and d = q - p with q = 2^(t-1) down to 2p.
  std::uint32_t pass = 0;
  for (; round > pass; ++pass) round -= pass + 1;
  const std::uint64_t p = std::uint64_t{1} << (t - 1 - pass);
  const std::uint64_t r = round == 0 ? 0 : p;
  const std::uint64_t d = round == 0 ? p : (std::uint64_t{1} << (t - round)) - p;
  if (position + d < size && (position & p) == r) return static_cast<Rank>(position + d);
  if (position >= d && ((position - d) & p) == r) return static_cast<Rank>(position - d);
  return std::nullopt;
}

RankedByKey::RankedByKey(Tag tag, const GroupView& parent, std::uint64_t key,
                         const ConstructionOptions& options)
    : tag_(tag), parent_(parent), exchange_(tag, parent, options.degree, options.routable) {
  exchange_.set_total(parent.size);
  held_.key = key;
  held_.rank = parent.rank;
}

void RankedByKey::enter(Colour, Endpoint& endpoint) {
  held_.owner = endpoint.self();
  entered_ = true;
  go_on(endpoint);
}

/// On the wire: round, key (low, high), the owner's rank and id.
RankedByKey::KeyAndOwner RankedByKey::key_and_owner(const Words& words) {
  return {words[1] | std::uint64_t{words[2]} << 32U, words[3], words[4]};
}

void RankedByKey::go_on(Endpoint& endpoint) {
  if (!entered_ || sorted_) return;
  for (; round_ < merge_exchange_rounds(parent_.size); ++round_) {
    const auto partner = merge_exchange_partner(parent_.rank, parent_.size, round_);
    if (!partner) continue;
    if (!waits_) {
      Words words{round_, static_cast<std::uint32_t>(held_.key),
                  static_cast<std::uint32_t>(held_.key >> 32U), held_.rank, held_.owner};
      send_routed(parent_, *partner, {tag_, 0, Kind::Sort, 1, std::move(words)}, endpoint);
      waits_ = true;
    }
    const auto other = came_.find(round_);
    if (other == came_.end()) return;
    held_ =
        parent_.rank < *partner ? std::min(held_, other->second) : std::max(held_, other->second);
    came_.erase(other);
    waits_ = false;
  }
  sorted_ = true;
  endpoint.send(held_.owner, {tag_, 0, Kind::Placed, 0, Words{parent_.rank}});
}

void RankedByKey::receive(const Message& message, Endpoint& endpoint) {
  if (exchange_.receive(message, endpoint)) return;
  if (message.kind == Kind::Placed) {
    ranked_ = true;
    return exchange_.announce(message.words[0], {parent_.size, 0}, endpoint);
  }
  came_[message.words[0]] = key_and_owner(message.words);
  go_on(endpoint);
}

std::size_t RankedByKey::bytes() const {
  return sizeof(*this) + exchange_.bytes_on_heap() +
         came_.size() * (sizeof(KeyAndOwner) + 4 * sizeof(void*));
}

}  // namespace espalier::group
