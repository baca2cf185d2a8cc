#include <string>

#include "base/units.hpp"
#include "fuzz/require.hpp"

namespace espalier::fuzz {
namespace {

/// parse(print(x)) == x, and whatever is refused is refused in words.
template <typename Value, typename Print, typename Parse>
void check(const Expected<Value>& value, Print print, Parse parse) {
  if (!value) {
    require(!value.error().what.empty() && value.error().what.size() < 1000,
            "an error can be read");
    require(!value.error().hint.empty(), "an error has a hint");
    return;
  }
  const auto again = parse(print(*value));
  require(again.has_value() && *again == *value, "what is printed is read back exactly");
}

}  // namespace
}  // namespace espalier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  using espalier::fuzz::check;
  const std::string_view text = fuzz::as_text(data, size);
  const auto print = [](const auto& value) { return to_string(value); };

  const auto time = parse_time(text);
  check(time, print, [](const std::string& s) { return parse_time(s); });
  const auto rounded_time = parse_time(text, Rounding::Nearest, "s");
  check(rounded_time, print, [](const std::string& s) { return parse_time(s); });
  if (time) fuzz::require(rounded_time && *rounded_time == *time, "an exact time is not rounded");

  const auto rate = parse_bandwidth(text);
  check(rate, print, [](const std::string& s) { return parse_bandwidth(s); });
  const auto rounded_rate = parse_bandwidth(text, Rounding::Nearest, "Bps");
  check(rounded_rate, print, [](const std::string& s) { return parse_bandwidth(s); });
  if (rate) fuzz::require(rounded_rate && *rounded_rate == *rate, "an exact rate is not rounded");

  check(parse_bytes(text), print, [](const std::string& s) { return parse_bytes(s); });
  check(
      parse_millionths(text), [](std::uint64_t n) { return millionths_to_string(n); },
      [](const std::string& s) { return parse_millionths(s); });
  return 0;
}
