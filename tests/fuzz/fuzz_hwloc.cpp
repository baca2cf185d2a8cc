#include "fuzz/check_loaded.hpp"
#include "topology/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  const std::string_view text = fuzz::as_text(data, size);
  const auto loaded = topology::read_hwloc(text, fuzz::kFile);
  if (loaded) {
    fuzz::check_machine(loaded->machine);
  } else {
    fuzz::check_error(loaded.error(), text);
  }
  return 0;
}
