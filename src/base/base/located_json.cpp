#include "base/located_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

namespace espalier {
namespace {

constexpr std::size_t kMaxDepth = 256;

/// Walks the text and remembers the line of the last character that was not white space. The lexer
/// reads one character beyond a number, so counting line ends alone would be one too far.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  [[nodiscard]] char at(std::size_t i) {
    for (; seen_ <= i; ++seen_) {
      const char c = text_[seen_];
      if (c == '\n') ++line_;
      if (c != ' ' && c != '\t' && c != '\r' && c != '\n') token_line_ = line_;
    }
    return text_[i];
  }
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  [[nodiscard]] std::uint32_t token_line() const { return token_line_; }

 private:
  std::string_view text_;
  std::size_t seen_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t token_line_ = 1;
};

class CountingIterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = char;
  using pointer = const char*;
  using reference = char;
  using iterator_category = std::input_iterator_tag;

  CountingIterator(LineCounter* counter, std::size_t at) : counter_(counter), at_(at) {}
  char operator*() const { return counter_->at(at_); }
  CountingIterator& operator++() { return ++at_, *this; }
  CountingIterator operator++(int) { return {counter_, at_++}; }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return !(a == b); }

 private:
  LineCounter* counter_;
  std::size_t at_;
};

class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(LineCounter& lines, const std::string& file) : lines_(lines), file_(file) {}

  bool null() override { return add(LocatedJson::Kind::Null, ""); }
  bool boolean(bool b) override { return add(LocatedJson::Kind::Boolean, b ? "true" : "false"); }
  bool number_integer(number_integer_t n) override {
    return add(LocatedJson::Kind::Number, fmt::format("{}", n));
  }
  bool number_unsigned(number_unsigned_t n) override {
    return add(LocatedJson::Kind::Number, fmt::format("{}", n));
  }
  bool number_float(number_float_t, const string_t& text) override {
    return add(LocatedJson::Kind::Number, text);
  }
  bool string(string_t& text) override { return add(LocatedJson::Kind::String, std::move(text)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(LocatedJson::Kind::Object); }
  bool end_object() override { return open_.pop_back(), refuse_a_key_twice(); }
  bool start_array(std::size_t) override { return open(LocatedJson::Kind::Array); }
  bool end_array() override { return open_.pop_back(), true; }
  bool key(string_t& text) override {
    open_.back()->keys.push_back(std::move(text));
    return true;
  }
  bool parse_error(std::size_t, const std::string& token,
                   const nlohmann::json::exception& error) override {
    const bool is_cut =
        std::string_view(error.what()).find("unexpected end") != std::string_view::npos ||
        std::string_view(error.what()).find("missing closing quote") != std::string_view::npos;
    if (is_cut) {
      error_ = Error{where(), "the text ends here, in the middle of something",
                     "is the file complete? A bracket or a quote is still open"};
      return false;
    }
    error_ = Error{where(), fmt::format("not valid JSON at {}", visible(token)),
                   "look for a missing comma, quote or bracket here or on the line before"};
    return false;
  }

  Expected<LocatedJson> result() && {
    if (error_) return *std::move(error_);
    return std::move(root_);
  }

 private:
  static std::string visible(const std::string& token) {
    if (token.empty() || token == std::string(1, '\0')) return "the end of the text";
    std::string text;
    for (const char c : token.substr(0, 40)) text += (c >= ' ' && c <= '~') ? c : '?';
    return "\"" + text + "\"";
  }
  [[nodiscard]] std::string where() const {
    return fmt::format("{}:{}", file_, lines_.token_line());
  }

  LocatedJson* place(LocatedJson::Kind kind) {
    LocatedJson* slot = &root_;
    if (!open_.empty()) slot = &open_.back()->items.emplace_back();
    slot->kind = kind;
    slot->line = lines_.token_line();
    return slot;
  }
  bool add(LocatedJson::Kind kind, std::string text) {
    place(kind)->text = std::move(text);
    return true;
  }
  bool open(LocatedJson::Kind kind) {
    if (open_.size() >= kMaxDepth) {
      error_ = Error{where(), fmt::format("nested deeper than {} brackets", kMaxDepth),
                     "no machine or plan needs that; is this the right file?"};
      return false;
    }
    open_.push_back(place(kind));
    return true;
  }
  bool refuse_a_key_twice() {
    // The object that just ended is the last item of what is open now, or the root.
    const LocatedJson& ended = open_.empty() ? root_ : open_.back()->items.back();
    if (ended.keys.size() < 2) return true;
    std::vector<std::size_t> order(ended.keys.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(ended.keys[a], a) < std::tie(ended.keys[b], b);
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (ended.keys[order[i]] != ended.keys[order[i - 1]]) continue;
      error_ = Error{fmt::format("{}:{}", file_, ended.items[order[i]].line),
                     fmt::format("\"{:.60}\" stands twice in one object", ended.keys[order[i]]),
                     "keep one of them"};
      return false;
    }
    return true;
  }

  LineCounter& lines_;
  const std::string& file_;
  LocatedJson root_;
  std::vector<LocatedJson*> open_;  // stays valid: only the innermost one's items grow
  std::optional<Error> error_;
};

}  // namespace

const LocatedJson* LocatedJson::find(std::string_view key) const {
  const auto it = std::find(keys.begin(), keys.end(), key);
  return it == keys.end() ? nullptr : &items[static_cast<std::size_t>(it - keys.begin())];
}

std::string_view describe(LocatedJson::Kind kind) {
  switch (kind) {
    case LocatedJson::Kind::Null:
      return "null";
    case LocatedJson::Kind::Boolean:
      return "true or false";
    case LocatedJson::Kind::Number:
      return "a number";
    case LocatedJson::Kind::String:
      return "a string";
    case LocatedJson::Kind::Array:
      return "an array";
    case LocatedJson::Kind::Object:
      return "an object";
  }
  return "?";
}

Expected<LocatedJson> parse_located_json(std::string_view text, const std::string& file) {
  LineCounter lines(text);
  Builder builder(lines, file);
  nlohmann::json::sax_parse(CountingIterator(&lines, 0), CountingIterator(&lines, text.size()),
                            &builder);
  return std::move(builder).result();
}

bool is_nested_too_deep(std::string_view json) {
  std::size_t depth = 0;
  bool is_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (is_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      is_string = !is_string;
    } else if (!is_string && (c == '[' || c == '{')) {
      if (++depth > kMaxDepth) return true;
    } else if (!is_string && (c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace espalier
