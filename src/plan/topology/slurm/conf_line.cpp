#include "topology/slurm/conf_line.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::topology::slurm {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}
bool is_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// A line as Slurm sees it: continued ones joined, comments and escapes gone.
struct LogicalLine {
  struct Piece {
    std::size_t start;
    std::uint32_t line;
  };
  std::string text;
  std::vector<Piece> pieces;

  [[nodiscard]] std::uint32_t line_at(std::size_t offset) const {
    const auto after = std::upper_bound(pieces.begin(), pieces.end(), offset,
                                        [](std::size_t o, const Piece& p) { return o < p.start; });
    return std::prev(after)->line;
  }
};

/// Everything after a "#" that no backslash guards.
std::string_view without_comment(std::string_view line) {
  bool escaped = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && !escaped) return line.substr(0, i);
    escaped = line[i] == '\\' && !escaped;
  }
  return line;
}

/// Takes the backslash off the end, if it is one that continues the line.
bool take_continuation(std::string_view& line) {
  const std::size_t end = line.find_last_not_of(" \t\r\v\f");
  if (end == std::string_view::npos || line[end] != '\\') return false;
  std::size_t backslashes = 0;
  while (backslashes <= end && line[end - backslashes] == '\\') ++backslashes;
  if (backslashes % 2 == 0) return false;
  line = line.substr(0, end);
  return true;
}

void append_unescaped(std::string_view piece, std::string& out) {
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (piece[i] == '\\' && i + 1 < piece.size()) ++i;
    out += piece[i];
  }
}

std::vector<LogicalLine> logical_lines(std::string_view text) {
  std::vector<LogicalLine> lines;
  std::uint32_t number = 0;
  bool continued = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view piece = without_comment(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (!continued) lines.emplace_back();
    lines.back().pieces.push_back({lines.back().text.size(), number});
    continued = take_continuation(piece);
    append_unescaped(piece, lines.back().text);
  }
  return lines;
}

/// Takes KEY=VALUE pairs off the front of a line.
class PairReader {
 public:
  PairReader(const LogicalLine& line, const std::string& file) : line_(line), file_(file) {}

  bool at_end() {
    skip_space();
    return at_ == line_.text.size();
  }

  /// @pre !at_end()
  Expected<ConfPair> next() {
    ConfPair pair;
    const std::size_t start = at_;
    pair.line = line_.line_at(start);
    while (at_ < line_.text.size() && is_key(line_.text[at_])) pair.key += lower(line_.text[at_++]);
    skip_space();
    if (pair.key == "include" && peek() != '=') {
      return Error{where(start), "\"Include\" of another file", "put its lines here instead"};
    }
    if (pair.key.empty() || peek() != '=') return malformed(start);
    ++at_;
    skip_space();
    if (!take_value(pair.value)) return malformed(start);
    return pair;
  }

 private:
  [[nodiscard]] char peek() const { return at_ < line_.text.size() ? line_.text[at_] : '\0'; }
  [[nodiscard]] std::string where(std::size_t offset) const {
    return fmt::format("{}:{}", file_, line_.line_at(offset));
  }
  void skip_space() {
    while (at_ < line_.text.size() && is_space(line_.text[at_])) ++at_;
  }
  bool take_value(std::string& value) {
    if (peek() == '"') {
      const std::size_t close = line_.text.find('"', at_ + 1);
      if (close == std::string::npos) return false;
      value = line_.text.substr(at_ + 1, close - at_ - 1);
      at_ = close + 1;
      return !value.empty() && (at_ == line_.text.size() || is_space(peek()));
    }
    while (at_ < line_.text.size() && !is_space(line_.text[at_])) value += line_.text[at_++];
    return !value.empty();
  }
  [[nodiscard]] Error malformed(std::size_t start) const {
    return {where(start), fmt::format("\"{}\" is not KEY=VALUE", line_.text.substr(start, 60)),
            "write lines such as \"SwitchName=s0 Nodes=n[0-15]\""};
  }

  const LogicalLine& line_;
  const std::string& file_;
  std::size_t at_ = 0;
};

}  // namespace

Expected<std::vector<ConfLine>> read_conf_lines(std::string_view text, const std::string& file) {
  std::vector<ConfLine> lines;
  for (const LogicalLine& logical : logical_lines(text)) {
    ConfLine line;
    PairReader reader(logical, file);
    while (!reader.at_end()) {
      auto pair = reader.next();
      if (!pair) return pair.error();
      line.push_back(*std::move(pair));
    }
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace espalier::topology::slurm
