#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/located_json.hpp"
#include "fuzz/check_loaded.hpp"

namespace espalier::fuzz {
namespace {

/// Values stand in the order of their lines, and objects have as many keys as values.
void check_value(const LocatedJson& value, std::uint32_t& line, std::uint32_t last_line) {
  require(value.line >= line && value.line <= last_line, "lines grow and are lines of the text");
  line = value.line;
  const bool object = value.kind == LocatedJson::Kind::Object;
  require(value.keys.size() == (object ? value.items.size() : 0), "one key for each member");
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    require(value.find(value.keys[i]) == &value.items[i], "a member is found by its key");
  }
  for (const LocatedJson& item : value.items) check_value(item, line, last_line);
}

}  // namespace
}  // namespace espalier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  const std::string_view text = fuzz::as_text(data, size);
  const auto json = parse_located_json(text, fuzz::kFile);
  if (!json) {
    fuzz::check_error(json.error(), text);
    return 0;
  }
  fuzz::require(nlohmann::json::accept(text), "nothing is accepted that is not JSON");
  std::uint32_t line = 1;
  const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  fuzz::check_value(*json, line, lines);
  return 0;
}
