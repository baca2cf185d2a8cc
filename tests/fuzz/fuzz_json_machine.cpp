#include "fuzz/check_loaded.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  const std::string_view text = fuzz::as_text(data, size);
  const auto machine = topology::read_json(text, fuzz::kFile);
  if (machine) {
    fuzz::check_machine(*machine);
  } else {
    fuzz::check_error(machine.error(), text);
  }
  return 0;
}
