#include "fuzz/check_schedule.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  const std::string_view text = fuzz::as_text(data, size);
  const auto schedule = schedule::read_json(text, fuzz::kFile);
  if (schedule) {
    fuzz::check_schedule(*schedule);
  } else {
    fuzz::check_error(schedule.error(), text);
  }
  return 0;
}
