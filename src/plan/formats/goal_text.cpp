#include "formats/goal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "schedule/json.hpp"

namespace espalier::formats {
namespace {

/// Sums of a few of them stay within 64 bits, also in picoseconds.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62;
constexpr std::uint64_t kMaxNanoseconds = (std::uint64_t{1} << 62) / 1000;

constexpr std::string_view kForms =
    "a line is \"[LABEL:] send BYTESb to RANK [tag N]\", \"[LABEL:] recv BYTESb from RANK [tag "
    "N]\", "
    "\"[LABEL:] calc NANOSECONDS\", \"LABEL requires LABEL\" or \"LABEL irequires LABEL\"";

/// Thrown and caught in this file only.
struct Refused {
  Error error;
};

struct Token {
  enum class Kind : std::uint8_t { Word, Number, Symbol, LineEnd, End };
  Kind kind = Kind::End;
  std::string_view text;
  std::uint32_t line = 1;

  [[nodiscard]] bool is(std::string_view word) const {
    return (kind == Kind::Word || kind == Kind::Symbol) && text == word;
  }
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class Scanner {
 public:
  Scanner(std::string_view text, const std::string& file) : text_(text), file_(file) { advance(); }

  [[nodiscard]] const Token& now() const { return now_; }
  Token take() {
    const Token token = now_;
    advance();
    return token;
  }
  [[noreturn]] void refuse(std::uint32_t line, std::string what, std::string hint) const {
    throw Refused{{fmt::format("{}:{}", file_, line), std::move(what), std::move(hint)}};
  }
  [[noreturn]] void refuse_now(std::string_view expected) const {
    const std::string found = now_.kind == Token::Kind::End       ? "the end of the file"
                              : now_.kind == Token::Kind::LineEnd ? "the end of the line"
                                                                  : printable(now_.text);
    refuse(now_.line, fmt::format("found {}, expected {}", found, expected), std::string(kForms));
  }
  static std::string printable(std::string_view text) {
    return fmt::format("\"{}\"", text.substr(0, 40));
  }

 private:
  void advance() {
    skip_blanks();
    if (at_ >= text_.size()) {
      now_ = {Token::Kind::End, {}, line_};
      return;
    }
    const std::size_t begin = at_;
    const char c = text_[at_++];
    now_.line = line_;
    now_.kind = Token::Kind::Symbol;
    if (c == '\n' || c == ';') {
      now_.kind = Token::Kind::LineEnd;
      if (c == '\n') ++line_;
    } else if (is_digit(c)) {
      now_.kind = Token::Kind::Number;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    } else if (is_letter(c) || c == '_') {
      now_.kind = Token::Kind::Word;
      while (at_ < text_.size() &&
             (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '_')) {
        ++at_;
      }
    }
    now_.text = text_.substr(begin, at_ - begin);
  }
  /// Blanks and comments; a // comment leaves its line end, which ends the statement.
  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) {
          refuse(line_, "a comment without end", "close it with */");
        }
        line_ += static_cast<std::uint32_t>(
            std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                       text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        at_ = end + 2;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  Token now_;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : scan_(text, file) {}

  GoalText parse() {
    skip_line_ends();
    if (!scan_.now().is("num_ranks")) scan_.refuse_now("\"num_ranks N\" at the beginning");
    scan_.take();
    const std::uint32_t line = scan_.now().line;
    result_.ranks = static_cast<Rank>(number("the number of ranks", schedule::kMaxScheduleRanks));
    if (result_.ranks == 0) scan_.refuse(line, "no ranks", "a schedule has at least one");
    for (skip_line_ends(); scan_.now().kind != Token::Kind::End; skip_line_ends()) block();
    put_in_order(line);
    return std::move(result_);
  }

 private:
  void skip_line_ends() {
    while (scan_.now().kind == Token::Kind::LineEnd) scan_.take();
  }
  std::uint64_t number(std::string_view name, std::uint64_t most) {
    if (scan_.now().kind != Token::Kind::Number) scan_.refuse_now(name);
    const Token token = scan_.take();
    std::uint64_t n = 0;
    const char* end = token.text.data() + token.text.size();
    if (std::from_chars(token.text.data(), end, n).ec != std::errc() || n > most) {
      scan_.refuse(token.line, fmt::format("{} is {}", name, std::string(token.text.substr(0, 40))),
                   fmt::format("it is at most {}", most));
    }
    return n;
  }
  void word(std::string_view expected) {
    if (!scan_.now().is(expected)) scan_.refuse_now(fmt::format("\"{}\"", expected));
    scan_.take();
  }
  void end_of_statement() {
    const Token& now = scan_.now();
    if (now.kind == Token::Kind::LineEnd) {
      scan_.take();
    } else if (now.kind != Token::Kind::End && !now.is("}")) {
      scan_.refuse_now("the end of the line");
    }
  }

  void block() {
    const std::uint32_t line = scan_.now().line;
    word("rank");
    GoalBlock block;
    block.line = line;
    block.rank = static_cast<Rank>(number("the rank", result_.ranks - 1));
    word("{");
    labels_.clear();
    pending_.clear();
    for (skip_line_ends(); !scan_.now().is("}"); skip_line_ends()) statement(block);
    scan_.take();
    for (const Pending& wait : pending_) {
      block.waits.push_back(
          {find(wait.line, wait.op), find(wait.line, wait.for_op), wait.to_begin});
    }
    result_.blocks.push_back(std::move(block));
  }

  void statement(GoalBlock& block) {
    if (scan_.now().kind != Token::Kind::Word) scan_.refuse_now("a statement or \"}\"");
    const Token first = scan_.take();
    if (scan_.now().is(":")) {
      scan_.take();
      const auto id = static_cast<std::uint32_t>(block.ops.size());
      if (!labels_.emplace(first.text, id).second) {
        scan_.refuse(first.line,
                     fmt::format("the label {} stands twice", Scanner::printable(first.text)),
                     "labels are for one rank, each for one operation");
      }
      if (scan_.now().kind != Token::Kind::Word) scan_.refuse_now("send, recv or calc");
      operation(scan_.take(), block);
    } else if (scan_.now().is("requires") || scan_.now().is("irequires")) {
      const bool to_begin = scan_.take().is("irequires");
      if (scan_.now().kind != Token::Kind::Word) scan_.refuse_now("a label");
      const Token other = scan_.take();
      pending_.push_back({first.line, first.text, other.text, to_begin});
    } else {
      operation(first, block);
    }
    end_of_statement();
  }

  void operation(const Token& verb, GoalBlock& block) {
    GoalOp op;
    if (verb.is("calc")) {
      op.amount = number("the nanoseconds of calc", kMaxNanoseconds);
    } else if (verb.is("send") || verb.is("recv")) {
      op.kind = verb.is("send") ? GoalOp::Kind::Send : GoalOp::Kind::Recv;
      op.amount = number("the bytes of a message", kMaxBytes);
      word("b");
      word(op.kind == GoalOp::Kind::Send ? "to" : "from");
      refuse_wildcard("sender");
      op.peer = static_cast<Rank>(number("the other rank", result_.ranks - 1));
    } else {
      scan_.refuse(verb.line, fmt::format("unknown word {}", Scanner::printable(verb.text)),
                   std::string(kForms));
    }
    options(op);
    block.ops.push_back(op);
  }
  /// In any order, each at most once in practice; cpu and nic say where LogGOPSim would run it.
  void options(GoalOp& op) {
    while (scan_.now().kind == Token::Kind::Word) {
      if (scan_.now().is("tag") && op.kind != GoalOp::Kind::Calc) {
        scan_.take();
        refuse_wildcard("tag");
        op.tag = static_cast<std::uint32_t>(number("the tag", ~std::uint32_t{0} - 1));
      } else if (scan_.now().is("cpu") || scan_.now().is("nic")) {
        scan_.take();
        (void)number("the number of the cpu or nic", 255);
      } else {
        scan_.refuse_now("tag, cpu, nic or the end of the line");
      }
    }
  }
  void refuse_wildcard(std::string_view what) {
    if (!scan_.now().is("-")) return;
    scan_.refuse(scan_.now().line, fmt::format("a receive from any {}", what),
                 "who meets whom must be fixed to be checked: name rank and tag");
  }

  std::uint32_t find(std::uint32_t line, std::string_view label) const {
    const auto it = labels_.find(label);
    if (it == labels_.end()) {
      scan_.refuse(line, fmt::format("there is no operation {}", Scanner::printable(label)),
                   "label it: \"NAME: send ...\" in the block of the same rank");
    }
    return it->second;
  }

  void put_in_order(std::uint32_t line) {
    auto& blocks = result_.blocks;
    std::stable_sort(blocks.begin(), blocks.end(),
                     [](const GoalBlock& a, const GoalBlock& b) { return a.rank < b.rank; });
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (i > 0 && blocks[i].rank == blocks[i - 1].rank) {
        scan_.refuse(blocks[i].line, fmt::format("rank {} stands twice", blocks[i].rank),
                     "put all its operations into one block");
      }
      if (blocks[i].rank != i) missing(line, static_cast<Rank>(i));
    }
    if (blocks.size() != result_.ranks) missing(line, static_cast<Rank>(blocks.size()));
  }
  [[noreturn]] void missing(std::uint32_t line, Rank rank) const {
    scan_.refuse(line, fmt::format("{} ranks, but rank {} has no block", result_.ranks, rank),
                 fmt::format("an idle rank has an empty one: rank {} {{ }}", rank));
  }

  struct Pending {
    std::uint32_t line;
    std::string_view op, for_op;
    bool to_begin;
  };
  Scanner scan_;
  GoalText result_;
  std::map<std::string_view, std::uint32_t> labels_;  // labels of the current block
  std::vector<Pending> pending_;                      // labels may come later
};

}  // namespace

Expected<GoalText> parse_goal_text(std::string_view text, const std::string& file) {
  try {
    return Parser(text, file).parse();
  } catch (const Refused& refused) {
    return refused.error;
  }
}

}  // namespace espalier::formats
