#include "base/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/located_json.hpp"

namespace espalier {
namespace {

/// Builds a value from the events of nlohmann-json's reader.
class JsonBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return add(Json()); }
  bool boolean(bool b) override { return add(Json(b)); }
  bool number_integer(number_integer_t n) override { return add(Json(n)); }
  bool number_unsigned(number_unsigned_t n) override { return add(Json(n)); }
  bool number_float(number_float_t n, const string_t&) override { return add(Json(n)); }
  bool string(string_t& text) override { return add(Json(std::move(text))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open_.emplace_back(), true; }
  bool end_object() override {
    Json::Object members = std::move(open_.back().members);
    open_.pop_back();
    return add(Json::object(std::move(members)));
  }
  bool start_array(std::size_t) override {
    open_.emplace_back().items = Json::array();
    return true;
  }
  bool end_array() override {
    Json items = std::move(open_.back().items);
    open_.pop_back();
    return add(std::move(items));
  }
  bool key(string_t& text) override { return open_.back().key = std::move(text), true; }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::json::exception&) override {
    byte = at;
    return false;
  }

  Json root;
  std::size_t byte = 0;

 private:
  struct Open {
    Json items;  // null: an object is open
    Json::Object members;
    std::string key;
  };

  bool add(Json value) {
    if (open_.empty()) {
      root = std::move(value);
    } else if (open_.back().items.is_array()) {
      open_.back().items.push_back(std::move(value));
    } else {
      open_.back().members.push_back({std::move(open_.back().key), std::move(value)});
    }
    return true;
  }

  std::vector<Open> open_;
};

/// Appends the text of values.
class JsonWriter {
 public:
  explicit JsonWriter(int indent) : indent_(indent) {}

  void write(const Json& value, int depth) {
    switch (value.kind()) {
      case Json::Kind::Null:
        text += "null";
        return;
      case Json::Kind::Boolean:
        text += value.get<bool>() ? "true" : "false";
        return;
      case Json::Kind::Integer:
        fmt::format_to(std::back_inserter(text), "{}", value.get<std::int64_t>());
        return;
      case Json::Kind::Unsigned:
        fmt::format_to(std::back_inserter(text), "{}", value.get<std::uint64_t>());
        return;
      case Json::Kind::Float:
        text += nlohmann::json(value.get<double>()).dump();
        return;
      case Json::Kind::String:
        string(value.get<std::string>());
        return;
      case Json::Kind::Array:
        return list('[', value, depth, ']', [&](const Json& item) { write(item, depth + 1); });
      case Json::Kind::Object:
        return list('{', value.items(), depth, '}', [&](const Json::Member& member) {
          string(member.key);
          text += indent_ < 0 ? ":" : ": ";
          write(member.value, depth + 1);
        });
    }
  }

  std::string text;

 private:
  void string(const std::string& value) {
    const bool is_plain = std::all_of(value.begin(), value.end(), [](char c) {
      return c >= ' ' && c <= '~' && c != '"' && c != '\\';
    });
    if (is_plain) {
      text += '"';
      text += value;
      text += '"';
      return;
    }
    text += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  void line(int depth) {
    if (indent_ < 0) return;
    text += '\n';
    text.append(static_cast<std::size_t>(indent_ * depth), ' ');
  }

  template <typename Items, typename Write>
  void list(char begin, const Items& items, int depth, char end, Write write_item) {
    text += begin;
    bool is_first = true;
    for (const auto& item : items) {
      if (!is_first) text += ',';
      is_first = false;
      line(depth + 1);
      write_item(item);
    }
    if (!is_first) line(depth);
    text += end;
  }

  int indent_;
};

}  // namespace

Expected<Json> Json::read(std::string_view text) {
  if (is_nested_too_deep(text)) return Error{"JSON", "it is nested too deep", ""};
  JsonBuilder builder;
  if (nlohmann::json::sax_parse(text, &builder)) return std::move(builder.root);
  return Error{"JSON", fmt::format("no JSON: it breaks off or goes wrong at byte {}", builder.byte),
               ""};
}

Json Json::parse(std::string_view text) {
  auto value = read(text);
  if (!value) throw JsonError(value.error().what);
  return std::move(*value);
}

std::string Json::dump(int indent) const {
  JsonWriter writer(indent);
  writer.write(*this, 0);
  return std::move(writer.text);
}

}  // namespace espalier
