#include "topology/hostlist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace espalier::topology {
namespace {

struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::size_t width = 0;  // of the first number as written, if it has leading zeros
};

/// "n[0-2,7]-ib" is the text "n", the ranges 0-2 and 7, and the text "-ib".
struct Part {
  std::string_view text;
  std::vector<Range> ranges;  // follow the text; empty in the last part
};

constexpr std::size_t kMaxDigits = 18;
constexpr std::size_t kMaxBrackets = 32;
constexpr std::size_t kMaxNameLength = 255;  // of names that are made, as of a host in DNS

Error bad(std::string_view text, std::string what) {
  return {"", fmt::format("\"{}\": {}", text.substr(0, 80), what),
          "write ranges such as \"node[0-15]\" or \"n[1,3,5-7]\""};
}

bool read_number(std::string_view text, std::uint64_t& out) {
  if (text.empty() || text.size() > kMaxDigits) return false;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  return code == std::errc() && end == text.data() + text.size();
}

Expected<Range> read_range(std::string_view whole, std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::string_view first = text.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : text.substr(dash + 1);
  Range range;
  if (!read_number(first, range.first) || !read_number(last, range.last)) {
    return bad(whole, fmt::format("\"{:.40}\" is not a number or a range", text));
  }
  if (range.last < range.first) {
    return bad(whole, fmt::format("the range {} runs backwards", text));
  }
  if (first.size() > 1 && first.front() == '0') range.width = first.size();
  return range;
}

Expected<std::vector<Part>> read_parts(std::string_view whole) {
  std::vector<Part> parts;
  std::string_view rest = whole;
  std::size_t length = 0;
  while (true) {
    const std::size_t open = rest.find_first_of("[]");
    Part part{rest.substr(0, open), {}};
    length += part.text.size();
    if (!parts.empty() && (parts.size() > kMaxBrackets || length > kMaxNameLength)) {
      return bad(whole, fmt::format("more than {} brackets, or names of more than {} characters",
                                    kMaxBrackets, kMaxNameLength));
    }
    if (open == std::string_view::npos) {
      parts.push_back(std::move(part));
      return parts;
    }
    const std::size_t close = rest.find_first_of("[]", open + 1);
    if (rest[open] == ']' || close == std::string_view::npos || rest[close] == '[') {
      return bad(whole, "brackets do not match");
    }
    std::string_view inside = rest.substr(open + 1, close - open - 1);
    while (true) {
      const std::size_t comma = inside.find(',');
      auto range = read_range(whole, inside.substr(0, comma));
      if (!range) return range.error();
      part.ranges.push_back(*range);
      if (comma == std::string_view::npos) break;
      inside.remove_prefix(comma + 1);
    }
    parts.push_back(std::move(part));
    rest.remove_prefix(close + 1);
  }
}

Expected<std::uint64_t> count_parts(std::string_view text, std::span<const Part> parts,
                                    std::uint64_t limit) {
  unsigned __int128 total = 1;
  for (const Part& part : parts) {
    if (part.ranges.empty()) continue;
    unsigned __int128 here = 0;
    for (const Range& range : part.ranges) here += range.last - range.first + 1;
    total *= here;
    if (total > limit) return bad(text, fmt::format("stands for more than {} names", limit));
  }
  return static_cast<std::uint64_t>(total);
}

void expand_from(std::span<const Part> parts, const std::string& prefix,
                 std::vector<std::string>& out) {
  const std::string start = prefix + std::string(parts.front().text);
  if (parts.front().ranges.empty()) {
    out.push_back(start);
    return;
  }
  for (const Range& range : parts.front().ranges) {
    for (std::uint64_t n = range.first; n <= range.last; ++n) {
      expand_from(parts.subspan(1), start + fmt::format("{:0{}}", n, range.width), out);
    }
  }
}

/// "n007" is "n", the number 7, and a width of 3; "n7" has the width 0: it grows as it needs.
struct NumberedName {
  std::string_view prefix;
  std::uint64_t number = 0;
  std::size_t width = 0;
};

std::optional<NumberedName> split_number(const std::string& name) {
  const std::size_t digit = name.find_last_not_of("0123456789") + 1;
  const std::string_view number = std::string_view(name).substr(digit);
  NumberedName split{std::string_view(name).substr(0, digit)};
  if (!read_number(number, split.number)) return std::nullopt;
  if (number.size() > 1 && number.front() == '0') split.width = number.size();
  return split;
}

}  // namespace

Expected<std::uint64_t> count_hostlist(std::string_view text, std::uint64_t limit) {
  auto parts = read_parts(text);
  if (!parts) return parts.error();
  return count_parts(text, *parts, limit);
}

Expected<std::vector<std::string>> expand_hostlist(std::string_view text, std::uint64_t limit) {
  auto parts = read_parts(text);
  if (!parts) return parts.error();
  auto count = count_parts(text, *parts, limit);
  if (!count) return count.error();
  std::vector<std::string> names;
  names.reserve(*count);
  expand_from(*parts, "", names);
  return names;
}

std::vector<std::string_view> split_hostlist(std::string_view text) {
  std::vector<std::string_view> items;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']') --depth;
    if (text[i] != ',' || depth > 0) continue;
    items.push_back(text.substr(start, i - start));
    start = i + 1;
  }
  items.push_back(text.substr(start));
  return items;
}

std::optional<std::string> name_after(const std::string& name, std::uint64_t steps) {
  const auto split = split_number(name);
  if (!split) return std::nullopt;
  return fmt::format("{}{:0{}}", split->prefix, split->number + steps, split->width);
}

std::optional<std::string> compress_hostlist(std::span<const std::string> names) {
  if (names.size() < 2) return std::nullopt;
  const auto first = split_number(names.front());
  if (!first) return std::nullopt;
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i] != name_after(names.front(), i)) return std::nullopt;
  }
  const std::string_view from = std::string_view(names.front()).substr(first->prefix.size());
  const std::string_view to = std::string_view(names.back()).substr(first->prefix.size());
  return fmt::format("{}[{}-{}]", first->prefix, from, to);
}

}  // namespace espalier::topology
