#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/located_json.hpp"
#include "base/types.hpp"

namespace espalier {

/// What readers of our JSON formats share: whatever is not as expected is refused with its line,
/// what was found, and where to look it up. Readers derive from it.
class JsonReader {
 public:
  /// Thrown by refuse(), and caught where the reader is used: a reader of nested optional fields
  /// would drown in returns.
  struct Refused {
    Error error;
  };

 protected:
  using Kind = LocatedJson::Kind;
  /// @param file only named in errors
  /// @param format what "format" must say
  /// @param see a hint: where it is documented
  JsonReader(std::string file, std::string_view format, std::string_view see)
      : file_(std::move(file)), format_(format), see_(see) {}

  [[noreturn]] void refuse(const LocatedJson& json, std::string what, std::string hint) const;
  [[nodiscard]] std::string at(const LocatedJson& json) const;
  [[nodiscard]] const std::string& file() const { return file_; }

  /// @param name of the value, as an error shall call it
  void expect_kind(const LocatedJson& json, Kind kind, std::string_view name) const;
  const LocatedJson& array(const LocatedJson& json, std::string_view name) const;
  const std::string& text(const LocatedJson& json, std::string_view name) const;
  const LocatedJson& member(const LocatedJson& json, std::string_view key) const;
  void refuse_unknown(const LocatedJson& json, std::initializer_list<std::string_view> known) const;
  void check_format(const LocatedJson& json) const;
  std::uint64_t number(const LocatedJson& json, std::string_view name, std::uint64_t most) const;
  /// With their units, in quotes.
  Time time(const LocatedJson& json, std::string_view name) const;
  Bandwidth bandwidth(const LocatedJson& json, std::string_view name) const;

 private:
  template <typename T>
  T quantity(const LocatedJson& json, std::string_view name, Expected<T> (*parse)(std::string_view),
             std::string_view unit) const;

  std::string file_, format_, see_;
};

}  // namespace espalier
