#include "base/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/known_formats.hpp"
#include "base/nearest.hpp"
#include "base/units.hpp"

namespace espalier {

void JsonReader::refuse(const LocatedJson& json, std::string what, std::string hint) const {
  throw Refused{{at(json), std::move(what), std::move(hint)}};
}

std::string JsonReader::at(const LocatedJson& json) const {
  return fmt::format("{}:{}", file_, json.line);
}

void JsonReader::expect_kind(const LocatedJson& json, Kind kind, std::string_view name) const {
  if (json.kind == kind) return;
  refuse(json, fmt::format("{} is {}, not {}", name, describe(json.kind), describe(kind)), see_);
}

const LocatedJson& JsonReader::array(const LocatedJson& json, std::string_view name) const {
  expect_kind(json, Kind::Array, name);
  return json;
}

const std::string& JsonReader::text(const LocatedJson& json, std::string_view name) const {
  expect_kind(json, Kind::String, name);
  return json.text;
}

const LocatedJson& JsonReader::member(const LocatedJson& json, std::string_view key) const {
  const LocatedJson* found = json.find(key);
  if (found == nullptr) refuse(json, fmt::format("no \"{}\"", key), see_);
  return *found;
}

void JsonReader::refuse_unknown(const LocatedJson& json,
                                std::initializer_list<std::string_view> known) const {
  for (std::size_t i = 0; i < json.keys.size(); ++i) {
    if (std::find(known.begin(), known.end(), json.keys[i]) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    refuse(
        json.items[i], fmt::format("unknown key \"{}\"", json.keys[i].substr(0, 60)),
        fmt::format("{}known here: {}", did_you_mean(json.keys[i], names), fmt::join(names, ", ")));
  }
}

void JsonReader::check_format(const LocatedJson& json) const {
  const LocatedJson* format = json.find("format");
  if (format == nullptr) {
    refuse(json, "no \"format\"", fmt::format("begin with \"format\": \"{}\"", format_));
  }
  if (format->kind == Kind::String && format->text == format_) return;
  std::string hint = is_other_version(format->text, format_)
                         ? "is this of another version? espalier --version says which this one is"
                         : who_reads(format->text);
  if (hint.empty()) hint = "is this another kind of file, or of a newer version?";
  refuse(*format,
         fmt::format("the format is \"{}\", not \"{}\"", format->text.substr(0, 60), format_),
         std::move(hint));
}

std::uint64_t JsonReader::number(const LocatedJson& json, std::string_view name,
                                 std::uint64_t most) const {
  std::uint64_t n = 0;
  const char* end = json.text.data() + json.text.size();
  const auto [stop, code] = std::from_chars(json.text.data(), end, n);
  if (json.kind == Kind::Number && code == std::errc() && stop == end && n <= most) return n;
  refuse(json,
         fmt::format(
             "{} is {}, not a whole number up to {}", name,
             json.kind == Kind::Number ? json.text.substr(0, 40) : std::string(describe(json.kind)),
             most),
         see_);
}

template <typename T>
T JsonReader::quantity(const LocatedJson& json, std::string_view name,
                       Expected<T> (*parse)(std::string_view), std::string_view unit) const {
  if (json.kind == Kind::Number) {
    refuse(json, fmt::format("{} is {:.60}, a number without a unit", name, json.text),
           fmt::format("write it with its unit, in quotes: \"{:.20} {}\"", json.text, unit));
  }
  auto value = parse(text(json, name));
  if (!value) refuse(json, fmt::format("{}: {}", name, value.error().what), value.error().hint);
  return *value;
}

Time JsonReader::time(const LocatedJson& json, std::string_view name) const {
  return quantity<Time>(json, name, parse_time, "ms");
}

Bandwidth JsonReader::bandwidth(const LocatedJson& json, std::string_view name) const {
  return quantity<Bandwidth>(json, name, parse_bandwidth, "Mbit/s");
}

}  // namespace espalier
