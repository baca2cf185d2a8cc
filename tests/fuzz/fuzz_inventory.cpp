#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/require.hpp"
#include "place/load_inventory.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto inventory = place::parse_inventory(text, "f");
  if (!inventory) return 0;
  for (const map::Host& host : inventory->hosts) {
    fuzz::require(host.first_leaf + host.slots <= inventory->machine.size(),
                  "every slot is a leaf of the machine");
  }
  return 0;
}
