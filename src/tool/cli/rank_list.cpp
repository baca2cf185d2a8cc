#include "cli/rank_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/random.hpp"
#include "base/units.hpp"

namespace espalier::cli {
namespace {

constexpr std::string_view kHint = "write ranks and ranges, such as 1,3,5-7";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// What errors in a list say.
struct ListWords {
  std::string_view place;  ///< "ranks": what the list has
  std::string_view one;    ///< "rank ": what stands before a number
  std::string_view hint;
};

/// Walks "1,3,5-7".
/// @param end above all numbers that `parse_one` lets through
template <typename ParseOne>
Expected<std::vector<Rank>> parse_list(std::string_view text, Rank end, ParseOne parse_one,
                                       const ListWords& words) {
  const std::string hint(words.hint);
  std::vector<Rank> numbers;
  std::vector<bool> seen(end, false);
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view piece = trimmed(text.substr(0, comma));
    if (piece.empty()) {
      return Error{"", fmt::format("an empty place in the list of {}", words.place), hint};
    }
    const std::size_t dash = piece.find('-');
    const Expected<Rank> first = parse_one(piece.substr(0, dash));
    if (!first) return Error{"", first.error().what, hint};
    const Expected<Rank> last =
        dash == std::string_view::npos ? first : parse_one(piece.substr(dash + 1));
    if (!last) return Error{"", last.error().what, hint};
    if (*last < *first) {
      return Error{"", fmt::format("the range {} runs backwards", piece),
                   fmt::format("write {}-{}", *last, *first)};
    }
    for (Rank r = *first; r <= *last; ++r) {
      if (seen[r]) {
        return Error{"", fmt::format("{}{} stands twice in the list", words.one, r),
                     "name each once"};
      }
      seen[r] = true;
      numbers.push_back(r);
    }
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

/// A number of ranks, from 2 to `most`.
Expected<Rank> parse_rank_number(std::string_view text, Rank most) {
  text = trimmed(text);
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number =
      !text.empty() && end == text.data() + text.size() && code != std::errc::invalid_argument;
  const std::string_view shown = text.substr(0, 60);
  if (!is_number) return Error{"", fmt::format("\"{}\" is not a number of ranks", shown), ""};
  if (code == std::errc::result_out_of_range || value > most) {
    return Error{"", fmt::format("the machine has {} ranks, not {}", most, shown), ""};
  }
  if (value < 2) {
    return Error{"", fmt::format("{} in a list of numbers of ranks: two are the fewest", shown),
                 ""};
  }
  return static_cast<Rank>(value);
}

}  // namespace

Expected<Rank> parse_rank(std::string_view text, Rank size) {
  text = trimmed(text);
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number =
      !text.empty() && end == text.data() + text.size() && code != std::errc::invalid_argument;
  if (!is_number) {
    return Error{"", fmt::format("\"{}\" is not a rank", text.substr(0, 60)),
                 fmt::format("write a number from 0 to {}", size - 1)};
  }
  if (code == std::errc::result_out_of_range || value >= size) {
    return Error{"",
                 fmt::format("rank {} is not in the machine, which has {}", text.substr(0, 60),
                             size == 1 ? "rank 0 only" : fmt::format("ranks 0 to {}", size - 1)),
                 "name one of them"};
  }
  return static_cast<Rank>(value);
}

Expected<Rank> rank_or_place(std::string_view text, const topology::Machine& machine) {
  auto rank = parse_rank(text, machine.size());
  if (rank || text.find_first_not_of("0123456789 ") == std::string_view::npos) return rank;
  for (Rank r = 0; r < machine.size(); ++r) {
    const std::string place = machine.describe(r);
    if (place == text || place.starts_with(std::string(text) + ".")) return r;
  }
  Error error = rank.error();
  const std::string place = machine.describe(0);
  if (place != "0") error.hint += ", or a place such as " + place;
  return error;
}

Expected<std::vector<Rank>> parse_rank_list(std::string_view text, Rank size) {
  const auto parse_one = [size](std::string_view one) { return parse_rank(one, size); };
  return parse_list(text, size, parse_one, {"ranks", "rank ", kHint});
}

Expected<std::vector<Rank>> parse_rank_numbers(std::string_view text, Rank most) {
  const auto parse_one = [most](std::string_view one) { return parse_rank_number(one, most); };
  auto numbers =
      parse_list(text, most + 1, parse_one,
                 {"numbers of ranks", "",
                  fmt::format("write numbers from 2 to {}, and ranges, such as 2,4 or 2-4", most)});
  if (numbers) std::sort(numbers->begin(), numbers->end());
  return numbers;
}

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
