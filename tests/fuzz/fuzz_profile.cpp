#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/require.hpp"
#include "profile/json.hpp"
#include "profile/load.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto profile = profile::parse_profile(text, "f");
  if (!profile || profile->size() > 4096) return 0;
  const auto again = profile::read_json(profile::write_json(*profile), "f");
  fuzz::require(again.has_value(), "what was written is read again");
  return 0;
}
