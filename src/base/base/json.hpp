#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/expected.hpp"

namespace espalier {

/// A value is not of the type that was asked for, or a member is missing.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class JsonPart;

/// A JSON value. Members of objects stay in the order in which they were added.
///
/// nlohmann-json reads and writes the text (json.cpp); this is what other files see of it, since
/// its header costs each of them five seconds of a compiler's time (ADR 49). Names are those of
/// nlohmann-json; there are fewer of them. Looking for a member is O(members), reading
/// a text is linear in it but for the sorting of names.
class Json {
 public:
  enum class Kind : std::uint8_t { Null, Boolean, Integer, Unsigned, Float, String, Array, Object };
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;

  Json() noexcept = default;
  Json(std::nullptr_t) noexcept {}
  /// An object if each part is a list of a text and a value, else an array.
  Json(std::initializer_list<JsonPart> parts);
  Json(const Json& other);
  Json(Json&& other) noexcept : kind_(other.kind_), held_(other.held_) { other.kind_ = Kind::Null; }
  Json& operator=(Json other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(held_, other.held_);
    return *this;
  }
  ~Json() {
    if (kind_ >= Kind::String) release();
  }

  template <std::same_as<bool> T>
  Json(T value) noexcept : kind_(Kind::Boolean) {
    held_.boolean = value;
  }
  template <std::signed_integral T>
  Json(T value) noexcept : kind_(Kind::Integer) {
    held_.integer = value;
  }
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) Json(T value)
  noexcept : kind_(Kind::Unsigned) { held_.natural = value; }
  template <std::floating_point T>
  Json(T value) noexcept : kind_(Kind::Float) {
    held_.real = value;
  }
  Json(std::string text);
  Json(std::string_view text) : Json(std::string(text)) {}
  Json(const char* text) : Json(std::string(text)) {}
  template <typename T>
  Json(const std::vector<T>& items) : Json(array()) {
    for (const T& item : items) push_back(Json(item));
  }

  [[nodiscard]] static Json array(std::initializer_list<JsonPart> items = {});
  [[nodiscard]] static Json object();
  /// Of members of one name the last counts, in the place of the first. O(members log members).
  [[nodiscard]] static Json object(Object members);

  /// Refuses what is not JSON and nesting deeper than 256; the error names the byte.
  [[nodiscard]] static Expected<Json> read(std::string_view text);
  /// As read(), for callers that catch JsonError anyhow.
  [[nodiscard]] static Json parse(std::string_view text);

  /// In one line, or with `indent` blanks for each level. What is not UTF-8 becomes U+FFFD.
  [[nodiscard]] std::string dump(int indent = -1) const;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] const char* type_name() const;
  [[nodiscard]] bool is_null() const { return kind_ == Kind::Null; }
  [[nodiscard]] bool is_boolean() const { return kind_ == Kind::Boolean; }
  [[nodiscard]] bool is_integer() const {
    return kind_ == Kind::Integer || kind_ == Kind::Unsigned;
  }
  [[nodiscard]] bool is_natural() const { return kind_ == Kind::Unsigned; }
  [[nodiscard]] bool is_number() const { return is_integer() || kind_ == Kind::Float; }
  [[nodiscard]] bool is_string() const { return kind_ == Kind::String; }
  [[nodiscard]] bool is_array() const { return kind_ == Kind::Array; }
  [[nodiscard]] bool is_object() const { return kind_ == Kind::Object; }
  /// Of an array or object; 0 for null, 1 for others.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }

  /// Elements of an array; none of null. Throws for others.
  [[nodiscard]] const Json* begin() const { return elements().first; }
  [[nodiscard]] const Json* end() const { return elements().second; }
  [[nodiscard]] const Json& front() const { return at(0); }
  [[nodiscard]] Json& back();
  /// Throw where there is no such element or member.
  [[nodiscard]] const Json& at(std::size_t index) const;
  [[nodiscard]] const Json& at(std::string_view key) const;
  template <std::integral T>
  const Json& operator[](T index) const {
    return at(static_cast<std::size_t>(index));
  }
  template <std::integral T>
  Json& operator[](T index) {
    return const_cast<Json&>(at(static_cast<std::size_t>(index)));
  }
  template <std::convertible_to<std::string_view> T>
  const Json& operator[](const T& key) const {
    return at(std::string_view(key));
  }
  /// The member, added as null if there is none; null itself becomes an object.
  template <std::convertible_to<std::string_view> T>
  Json& operator[](const T& key) {
    return member(std::string_view(key));
  }

  /// nullptr if there is none, or this is no object.
  [[nodiscard]] const Json* find(std::string_view key) const;
  [[nodiscard]] Json* find(std::string_view key) {
    return const_cast<Json*>(std::as_const(*this).find(key));
  }
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// Of an object; throws for others.
  [[nodiscard]] const Object& items() const;

  /// null itself becomes an array.
  void push_back(Json item);
  /// Sets all members of another object.
  void update(const Json& other);

  /// The value as T; throws where it is of another type, or a number that T cannot hold.
  template <typename T>
  [[nodiscard]] T get() const {
    if constexpr (std::same_as<T, bool>) {
      return boolean();
    } else if constexpr (std::floating_point<T>) {
      return static_cast<T>(real());
    } else if constexpr (std::unsigned_integral<T>) {
      const std::uint64_t number = natural();
      if (!std::in_range<T>(number)) refuse_number();
      return static_cast<T>(number);
    } else if constexpr (std::signed_integral<T>) {
      const std::int64_t number = integer();
      if (!std::in_range<T>(number)) refuse_number();
      return static_cast<T>(number);
    } else if constexpr (std::same_as<T, std::string>) {
      return text();
    } else {
      T items;
      for (const Json& one : array_items()) {
        items.push_back(one.template get<typename T::value_type>());
      }
      return items;
    }
  }
  /// The member as T, or `otherwise` if there is none.
  template <typename T>
  [[nodiscard]] T value(std::string_view key, const T& otherwise) const {
    expect(Kind::Object);
    const Json* found = find(key);
    if (found == nullptr) return otherwise;
    if constexpr (std::same_as<T, Json>) {
      return *found;
    } else {
      return found->get<T>();
    }
  }
  [[nodiscard]] std::string value(std::string_view key, const char* otherwise) const {
    return value(key, std::string(otherwise));
  }

  /// Numbers are equal by value.
  friend bool operator==(const Json& a, const Json& b);
  friend std::ostream& operator<<(std::ostream& out, const Json& value);

 private:
  union Held {
    bool boolean;
    std::int64_t integer;
    std::uint64_t natural = 0;
    double real;
    std::string* text;
    Array* items;
    Object* members;
  };

  void release();
  void expect(Kind kind) const;
  [[noreturn]] void refuse_number() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] std::uint64_t natural() const;
  [[nodiscard]] double real() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const Array& array_items() const;
  [[nodiscard]] std::pair<const Json*, const Json*> elements() const;
  Json& member(std::string_view key);

  Kind kind_ = Kind::Null;
  Held held_;
};

struct Json::Member {
  std::string key;
  Json value;
};

/// A part of a braced list. Unlike the list's own elements it can be moved from.
class JsonPart {
 public:
  template <typename T>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): no Json is made of a JsonPart
  requires std::constructible_from<Json, T&&> JsonPart(T&& value)
      : value_(std::forward<T>(value)) {}
  JsonPart(std::initializer_list<JsonPart> parts) : value_(parts) {}
  [[nodiscard]] Json& value() const { return value_; }

 private:
  mutable Json value_;
};

}  // namespace espalier
