#pragma once

#include <utility>
#include <variant>

#include "contract.hpp"
#include "error.hpp"

namespace espalier {

/// A value, or the Error that stands in its way.
///
/// The spelling is std::expected's (C++23; not in g++ 12), so that this file can be deleted one
/// day.
template <typename T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Expected(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  /// @pre has_value()
  [[nodiscard]] T& value() & { return checked(), std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return checked(), std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return checked(), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// @pre !has_value()
  [[nodiscard]] const Error& error() const {
    expects(!has_value(), "Expected::error: there is a value");
    return std::get<1>(state_);
  }

 private:
  void checked() const {
    if (!has_value()) fail_contract(std::get<1>(state_).what, SourceLine::current());
  }
  std::variant<T, Error> state_;
};

}  // namespace espalier
