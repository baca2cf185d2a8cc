#include "fuzz/check_loaded.hpp"
#include "topology/load_machine.hpp"

// Which reader a text is meant for is told by its content: a text that turns into another kind must
// not slip through between them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  const auto loaded = topology::parse_machine(std::string(fuzz::as_text(data, size)), fuzz::kFile);
  if (loaded) {
    fuzz::check_machine(loaded->machine);
    return 0;
  }
  const Error& error = loaded.error();
  fuzz::require(!error.where.empty() && !error.what.empty(), "an error says where and what");
  fuzz::require(error.what.size() < 1000 && error.hint.size() < 1000, "an error can be read");
  return 0;
}
