#include "fuzz/check_loaded.hpp"
#include "topology/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  const std::string_view text = fuzz::as_text(data, size);
  const auto machine = topology::parse_synthetic(text);
  if (machine) {
    fuzz::require(topology::looks_synthetic(text), "what is read looks like what can be read");
    fuzz::check_machine(*machine);
    return 0;
  }
  const Error& error = machine.error();
  fuzz::require(!error.where.empty(), "an error says where");
  fuzz::require(!error.what.empty() && error.what.size() < 1000, "an error can be read");
  fuzz::require(!error.hint.empty() && error.hint.size() < 1000, "an error has a hint");
  return 0;
}
