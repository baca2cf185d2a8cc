#include <algorithm>
#include <string>

#include "fuzz/require.hpp"
#include "topology/hostlist.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier::topology;
  using espalier::fuzz::require;
  constexpr std::uint64_t kLimit = 1000;
  const std::string_view text = espalier::fuzz::as_text(data, size);

  std::size_t joined = 0;
  for (const std::string_view item : split_hostlist(text)) joined += item.size() + 1;
  require(joined == text.size() + 1, "splitting takes away the commas and nothing else");

  const auto count = count_hostlist(text, kLimit);
  const auto names = expand_hostlist(text, kLimit);
  require(count.has_value() == names.has_value(), "what can be counted can be expanded");
  if (!names) {
    require(!names.error().what.empty() && names.error().what.size() < 1000,
            "an error can be read");
    require(count.error() == names.error(), "both are refused for one reason");
    return 0;
  }
  require(names->size() == *count && *count >= 1 && *count <= kLimit, "the count is right");
  require(std::all_of(names->begin(), names->end(),
                      [](const std::string& name) {
                        return name.find_first_of("[]") == std::string::npos;
                      }),
          "no bracket is left");
  if (const auto again = compress_hostlist(*names)) {
    const auto expanded = expand_hostlist(*again, kLimit);
    require(expanded && *expanded == *names, "what was compressed expands to the same names");
  }
  return 0;
}
