#include "group/merge_exchange.hpp"

#include "base/contract.hpp"

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

}  // namespace espalier::group
