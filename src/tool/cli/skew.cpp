#include "cli/skew.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/random.hpp"
#include "base/units.hpp"
#include "cli/rank_list.hpp"

namespace espalier::cli {
namespace {

constexpr std::string_view kRandom = "random:";
constexpr std::string_view kSkewHint =
    "write TIME@RANKS, such as 5ms@3 or 5ms@3,200us@8-11, or random:TIME:SEED, such as "
    "random:2ms:7";

Error bad_skew(std::string what) { return {"", std::move(what), std::string(kSkewHint)}; }

Expected<Time> lateness_from(std::string_view text) {
  auto time = parse_time(text);
  if (!time) return bad_skew(time.error().what);
  return time;
}

Expected<std::vector<Time>> random_skew(std::string_view text, Rank ranks) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return bad_skew(fmt::format("\"random:{}\" has no seed", text));
  }
  auto most = lateness_from(text.substr(0, colon));
  if (!most) return most.error();
  const std::string_view digits = text.substr(colon + 1);
  std::uint64_t seed = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (code != std::errc() || end != digits.data() + digits.size()) {
    return bad_skew(fmt::format("the seed \"{}\" is no number below 2^64", digits));
  }
  Random random(seed);
  std::vector<Time> skew;
  for (Rank r = 0; r < ranks; ++r) skew.push_back(Time{random.between(0, most->picoseconds)});
  return skew;
}

}  // namespace

Expected<std::vector<Time>> parse_skew(std::string_view text, Rank ranks) {
  if (text.empty()) return std::vector<Time>{};
  if (text.starts_with(kRandom)) return random_skew(text.substr(kRandom.size()), ranks);
  std::vector<Time> skew(ranks);
  std::vector<bool> said(ranks, false);
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view piece = text.substr(0, comma);
    const std::size_t where = piece.find('@');
    if (where == std::string_view::npos) {
      return bad_skew(fmt::format("\"{}\" does not say which rank is late", piece));
    }
    auto late = lateness_from(piece.substr(0, where));
    if (!late) return late.error();
    auto who = parse_rank_list(piece.substr(where + 1), ranks);
    if (!who) return who.error();
    for (const Rank r : *who) {
      if (said[r]) return bad_skew(fmt::format("rank {} stands twice", r));
      said[r] = true;
      skew[r] = *late;
    }
    if (comma == std::string_view::npos) return skew;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace espalier::cli
