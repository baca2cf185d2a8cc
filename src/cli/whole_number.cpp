#include "cli/whole_number.hpp"

#include <fmt/format.h>

#include <charconv>

namespace espalier::cli {

CLI::Validator whole_number(std::int64_t low, std::int64_t high) {
  CLI::Validator validator;
  validator.operation([low, high](std::string& text) -> std::string {
    std::int64_t n = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), n);
    const bool is_whole = code == std::errc() && end == text.data() + text.size();
    if (is_whole && n >= low && n <= high) return "";
    return fmt::format("\"{:.40}\" is not a whole number from {} to {}", text, low, high);
  });
  return validator;
}

}  // namespace espalier::cli
