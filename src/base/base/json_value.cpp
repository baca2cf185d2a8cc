#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>

#include "base/json.hpp"

namespace espalier {
namespace {

/// Of members of one name the last counts, in the place of the first.
void drop_repeated(Json::Object& members) {
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return members[a].key < members[b].key; });
  std::vector<bool> is_dropped(members.size());
  std::size_t dropped = 0;
  for (std::size_t i = 1, first = 0; i < order.size(); ++i) {
    if (members[order[i]].key == members[order[first]].key) {
      members[order[first]].value = std::move(members[order[i]].value);
      is_dropped[order[i]] = true;
      ++dropped;
    } else {
      first = i;
    }
  }
  if (dropped == 0) return;
  Json::Object kept;
  kept.reserve(members.size() - dropped);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!is_dropped[i]) kept.push_back(std::move(members[i]));
  }
  members = std::move(kept);
}

const char* name_of_kind(Json::Kind kind) {
  switch (kind) {
    case Json::Kind::Null:
      return "null";
    case Json::Kind::Boolean:
      return "boolean";
    case Json::Kind::String:
      return "string";
    case Json::Kind::Array:
      return "array";
    case Json::Kind::Object:
      return "object";
    default:
      return "number";
  }
}

}  // namespace

Json::Json(std::string text) {
  held_.text = new std::string(std::move(text));
  kind_ = Kind::String;
}

Json::Json(std::initializer_list<JsonPart> parts) {
  const bool is_object = std::all_of(parts.begin(), parts.end(), [](const JsonPart& part) {
    const Json& pair = part.value();
    return pair.is_array() && pair.size() == 2 && pair.front().is_string();
  });
  *this = is_object ? object() : array();
  for (const JsonPart& part : parts) {
    if (is_object) {
      Array& pair = *part.value().held_.items;
      member(*pair[0].held_.text) = std::move(pair[1]);
    } else {
      held_.items->push_back(std::move(part.value()));
    }
  }
}

Json::Json(const Json& other) {
  held_ = other.held_;
  if (other.kind_ == Kind::String) held_.text = new std::string(*other.held_.text);
  if (other.kind_ == Kind::Array) held_.items = new Array(*other.held_.items);
  if (other.kind_ == Kind::Object) held_.members = new Object(*other.held_.members);
  kind_ = other.kind_;
}

void Json::release() {
  if (kind_ == Kind::String) delete held_.text;
  if (kind_ == Kind::Array) delete held_.items;
  if (kind_ == Kind::Object) delete held_.members;
}

Json Json::array(std::initializer_list<JsonPart> items) {
  Json result;
  result.held_.items = new Array;
  result.kind_ = Kind::Array;
  for (const JsonPart& item : items) result.held_.items->push_back(std::move(item.value()));
  return result;
}

Json Json::object() {
  Json result;
  result.held_.members = new Object;
  result.kind_ = Kind::Object;
  return result;
}

Json Json::object(Object members) {
  Json result = object();
  drop_repeated(members);
  *result.held_.members = std::move(members);
  return result;
}

const char* Json::type_name() const { return name_of_kind(kind_); }

std::size_t Json::size() const {
  if (kind_ == Kind::Array) return held_.items->size();
  if (kind_ == Kind::Object) return held_.members->size();
  return kind_ == Kind::Null ? 0 : 1;
}

std::pair<const Json*, const Json*> Json::elements() const {
  if (kind_ == Kind::Null) return {nullptr, nullptr};
  expect(Kind::Array);
  return {held_.items->data(), held_.items->data() + held_.items->size()};
}

Json& Json::back() {
  expect(Kind::Array);
  if (held_.items->empty()) throw JsonError("an array without elements");
  return held_.items->back();
}

const Json& Json::at(std::size_t index) const {
  expect(Kind::Array);
  if (index >= held_.items->size()) {
    throw JsonError(fmt::format("array index {} is out of range", index));
  }
  return (*held_.items)[index];
}

const Json& Json::at(std::string_view key) const {
  expect(Kind::Object);
  const Json* found = find(key);
  if (found == nullptr) throw JsonError(fmt::format("key '{}' not found", key));
  return *found;
}

Json& Json::member(std::string_view key) {
  if (kind_ == Kind::Null) *this = object();
  expect(Kind::Object);
  if (Json* found = find(key)) return *found;
  return held_.members->emplace_back(Member{std::string(key), Json()}).value;
}

const Json* Json::find(std::string_view key) const {
  if (kind_ != Kind::Object) return nullptr;
  for (const Member& one : *held_.members) {
    if (one.key == key) return &one.value;
  }
  return nullptr;
}

const Json::Object& Json::items() const {
  expect(Kind::Object);
  return *held_.members;
}

void Json::push_back(Json item) {
  if (kind_ == Kind::Null) *this = array();
  expect(Kind::Array);
  held_.items->push_back(std::move(item));
}

void Json::update(const Json& other) {
  for (const Member& one : other.items()) member(one.key) = one.value;
}

void Json::expect(Kind kind) const {
  if (kind_ != kind) {
    throw JsonError(
        fmt::format("type must be {}, but is {}", name_of_kind(kind), name_of_kind(kind_)));
  }
}

void Json::refuse_number() const {
  throw JsonError(fmt::format("number {} is out of range", dump()));
}

bool Json::boolean() const {
  expect(Kind::Boolean);
  return held_.boolean;
}

std::int64_t Json::integer() const {
  if (kind_ == Kind::Integer) return held_.integer;
  if (kind_ == Kind::Unsigned) {
    if (!std::in_range<std::int64_t>(held_.natural)) refuse_number();
    return static_cast<std::int64_t>(held_.natural);
  }
  if (kind_ != Kind::Float) expect(Kind::Integer);
  // Written as 1e3: the bounds are powers of two, so these comparisons are exact.
  constexpr double kBeyond = 9223372036854775808.0;
  if (!(held_.real >= -kBeyond && held_.real < kBeyond) || std::trunc(held_.real) != held_.real) {
    refuse_number();
  }
  return static_cast<std::int64_t>(held_.real);
}

std::uint64_t Json::natural() const {
  if (kind_ == Kind::Unsigned) return held_.natural;
  const std::int64_t number = integer();
  if (number < 0) refuse_number();
  return static_cast<std::uint64_t>(number);
}

double Json::real() const {
  if (kind_ == Kind::Integer) return static_cast<double>(held_.integer);
  if (kind_ == Kind::Unsigned) return static_cast<double>(held_.natural);
  expect(Kind::Float);
  return held_.real;
}

const std::string& Json::text() const {
  expect(Kind::String);
  return *held_.text;
}

const Json::Array& Json::array_items() const {
  expect(Kind::Array);
  return *held_.items;
}

std::ostream& operator<<(std::ostream& out, const Json& value) { return out << value.dump(); }

bool operator==(const Json& a, const Json& b) {
  using Kind = Json::Kind;
  if (a.is_number() && b.is_number()) {
    if (a.kind_ == Kind::Float || b.kind_ == Kind::Float) return a.real() == b.real();
    if (a.kind_ == b.kind_) return a.held_.natural == b.held_.natural;
    const Json& with_sign = a.kind_ == Kind::Integer ? a : b;
    const Json& without = a.kind_ == Kind::Integer ? b : a;
    return std::cmp_equal(with_sign.held_.integer, without.held_.natural);
  }
  if (a.kind_ != b.kind_) return false;
  switch (a.kind_) {
    case Kind::Boolean:
      return a.held_.boolean == b.held_.boolean;
    case Kind::String:
      return *a.held_.text == *b.held_.text;
    case Kind::Array:
      return *a.held_.items == *b.held_.items;
    case Kind::Object:
      return std::equal(a.held_.members->begin(), a.held_.members->end(), b.held_.members->begin(),
                        b.held_.members->end(), [](const Json::Member& x, const Json::Member& y) {
                          return x.key == y.key && x.value == y.value;
                        });
    default:
      return true;
  }
}

}  // namespace espalier
