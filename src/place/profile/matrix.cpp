#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "profile/load.hpp"

namespace espalier::profile {
namespace {

using Words = std::vector<std::string_view>;

std::optional<std::uint64_t> number(std::string_view text, std::uint64_t most) {
  std::uint64_t n = 0;
  const auto [at, code] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (code != std::errc() || at != text.data() + text.size() || n > most) return {};
  return n;
}

Words words_of(std::string_view line) {
  constexpr std::string_view kBetween = ",; \t\r";
  Words words;
  for (std::size_t at = line.find_first_not_of(kBetween); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBetween, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBetween, end);
  }
  return words;
}

struct Line {
  std::size_t number;
  std::string_view text;
  Words words;
};

/// Those with something on them that is no comment.
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t at = 0, n = 1; at < text.size(); ++n) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (Words words = words_of(line); !words.empty() && words[0][0] != '#') {
      lines.push_back({n, line, std::move(words)});
    }
    at = end + 1;
  }
  return lines;
}

Error refused(const std::string& file, const Line& line, std::string what, std::string hint) {
  return {fmt::format("{}:{}", file, line.number), std::move(what), std::move(hint)};
}

Profile from_pairs(const std::string& file, Rank size, std::vector<Pair> pairs,
                   std::vector<Pair> executed) {
  Profile profile = silent_profile(file, size);
  profile.pairs = merged(std::move(pairs));
  profile.executed = merged(std::move(executed));
  guess_trace(profile);
  return profile;
}

Expected<Profile> read_square(const std::vector<Line>& lines, const std::string& file) {
  const std::size_t size = lines.size();
  std::vector<Pair> pairs;
  for (std::size_t from = 0; from < size; ++from) {
    const Line& line = lines[from];
    if (line.words.size() != size) {
      return refused(file, line,
                     fmt::format("{} columns in a matrix of {} rows", line.words.size(), size),
                     "a row and a column for each process; or lines of from,to,messages,bytes");
    }
    for (std::size_t to = 0; to < size; ++to) {
      const auto bytes = number(line.words[to], kMaxCount);
      if (!bytes) {
        return refused(file, line,
                       fmt::format("\"{}\" is not a number of bytes", line.words[to].substr(0, 40)),
                       fmt::format("write whole numbers up to {}", kMaxCount));
      }
      if (*bytes == 0) continue;
      pairs.push_back({static_cast<Rank>(from), static_cast<Rank>(to), 1, *bytes});
    }
  }
  return from_pairs(file, static_cast<Rank>(size), std::move(pairs), {});
}

/// @param columns as many as the first line names; 0: there is no such line
Expected<Profile> read_list(const std::vector<Line>& lines, const std::string& file,
                            std::size_t columns) {
  std::vector<Pair> pairs;
  Rank size = 0;
  for (const Line& line : lines) {
    const std::size_t n = line.words.size();
    const auto from = number(line.words[0], kMaxProfiledProcesses - 1);
    const auto to = n > 1 ? number(line.words[1], kMaxProfiledProcesses - 1) : from;
    const auto bytes = number(line.words[n - 1], kMaxCount);
    const auto messages = n == 4 ? number(line.words[2], kMaxCount) : std::optional{1UL};
    if ((n != 3 && n != 4) || !from || !to || !bytes || !messages ||
        (columns != 0 && n != columns)) {
      return refused(
          file, line, fmt::format("not a line of from,to,{}bytes", columns == 3 ? "" : "messages,"),
          fmt::format("ranks below {}, the rest up to {}", kMaxProfiledProcesses, kMaxCount));
    }
    size = std::max({size, static_cast<Rank>(*from + 1), static_cast<Rank>(*to + 1)});
    pairs.push_back({static_cast<Rank>(*from), static_cast<Rank>(*to), *messages, *bytes});
  }
  return from_pairs(file, size, std::move(pairs), {});
}

/// Three lines of from,to,bytes, or four of from,to,messages,bytes, are as long as a matrix has
/// rows. A matrix has nothing on its diagonal.
bool may_be_list(const std::vector<Line>& lines) {
  if (lines.size() != 3 && lines.size() != 4) return false;
  bool has_diagonal = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Words& words = lines[i].words;
    if (words.size() != lines.size()) return false;
    const auto from = number(words[0], kMaxProfiledProcesses - 1);
    const auto to = number(words[1], kMaxProfiledProcesses - 1);
    if (!from || !to || *from == *to) return false;
    has_diagonal |= words[i] != "0";
  }
  return has_diagonal;
}

}  // namespace

Expected<Profile> read_csv(std::string_view text, const std::string& file) {
  std::vector<Line> lines = lines_of(text);
  if (!lines.empty() && lines[0].words[0] == "from") {
    const Words names = lines[0].words;
    if (names != Words{"from", "to", "messages", "bytes"} &&
        names != Words{"from", "to", "bytes"}) {
      return refused(file, lines[0], "it names other columns than are read",
                     "from,to,messages,bytes or from,to,bytes, in this order");
    }
    lines.erase(lines.begin());
    if (!lines.empty()) return read_list(lines, file, names.size());
  }
  if (lines.empty()) return Error{file, "no line with figures", "see docs/placement.md"};
  if (lines.size() > 16'384) return read_list(lines, file, 0);
  if (may_be_list(lines)) {
    return refused(
        file, lines[0], "a list of pairs or a matrix: it may be either",
        "a list needs a first line of from,to,messages,bytes (or from,to,bytes) here, and a "
        "matrix zeros on its diagonal");
  }
  return lines[0].words.size() == lines.size() ? read_square(lines, file)
                                               : read_list(lines, file, 0);
}

Expected<Profile> read_openmpi_monitoring(std::string_view text, const std::string& file) {
  std::vector<Pair> called;
  std::vector<Pair> executed;
  Rank size = 0;
  for (const Line& line : lines_of(text)) {
    const Words& words = line.words;
    if (words[0] == "D" && words.size() > 3 && words[1] == "MPI_COMM_WORLD") {
      size = std::max(size, static_cast<Rank>(
                                std::min<std::uint64_t>(words.size() - 3, kMaxProfiledProcesses)));
      continue;
    }
    if (words[0] != "E" && words[0] != "I" && words[0] != "S" && words[0] != "R") continue;
    const auto from = words.size() > 6 ? number(words[1], kMaxProfiledProcesses - 1) : std::nullopt;
    const auto to = from ? number(words[2], kMaxProfiledProcesses - 1) : std::nullopt;
    const auto bytes = to ? number(words[3], kMaxCount) : std::nullopt;
    const auto messages = bytes ? number(words[5], kMaxCount) : std::nullopt;
    if (!messages || words[4] != "bytes" || words[6] != "msgs") {
      return refused(file, line, "not a line of Open MPI's monitoring",
                     "E 0 1 10000 bytes 10 msgs sent");
    }
    Pair pair{static_cast<Rank>(*from), static_cast<Rank>(*to), *messages, *bytes};
    size = std::max({size, pair.from + 1, pair.to + 1});
    if (words[0] == "R") std::swap(pair.from, pair.to);
    (words[0] == "I" ? executed : called).push_back(pair);
  }
  if (size == 0) return Error{file, "no line of a pair", "E 0 1 10000 bytes 10 msgs sent"};
  return from_pairs(file, size, std::move(called), std::move(executed));
}

bool looks_like_monitoring(std::string_view text) {
  return text.substr(0, text.find('\n')).find("# POINT TO POINT") != std::string_view::npos ||
         text.find(" msgs sent") != std::string_view::npos;
}

}  // namespace espalier::profile
