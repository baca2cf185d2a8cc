#include "fuzz/check_schedule.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  const std::string_view text = fuzz::as_text(data, size);
  fuzz::check_read(formats::read_goal(text, fuzz::kFile), text);
  return 0;
}
