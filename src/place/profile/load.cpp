#include "profile/load.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/file.hpp"
#include "profile/json.hpp"
#include "profile/workload.hpp"

namespace espalier::profile {
namespace {

constexpr std::uint64_t kMostProfileBytes = std::uint64_t{4} << 30U;  // traces may be long

bool names_workload(const std::string& argument) {
  for (const std::string& name : workload_names()) {
    if (argument.rfind(name + ".", 0) == 0 && argument.find('/') == std::string::npos) return true;
  }
  return false;
}

Expected<Profile> workload_from(const std::string& argument, Rank processes) {
  constexpr std::string_view kHeavy = ":heavy=";
  const std::size_t at = argument.find(kHeavy);
  WorkloadOptions options;
  if (at != std::string::npos) {
    const char* begin = argument.data() + at + kHeavy.size();
    const char* end = argument.data() + argument.size();
    const auto [stop, code] = std::from_chars(begin, end, options.heavy_factor);
    if (code != std::errc() || stop != end || options.heavy_factor > 1'000'000) {
      return Error{argument, "the weight of the heavy channels is no number up to 1,000,000",
                   "lu.C:heavy=8"};
    }
  }
  auto made = make_workload(std::string_view(argument).substr(0, at), processes, options);
  if (made) made->name = argument;
  return made;
}

}  // namespace

Expected<Profile> parse_profile(const std::string& text, const std::string& file) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') return read_json(text, file);
  if (looks_like_monitoring(text)) return read_openmpi_monitoring(text, file);
  return read_csv(text, file);
}

Expected<Profile> load_profile(const std::string& argument, Rank processes) {
  const auto text = read_named_file(argument, {.most = kMostProfileBytes, .takes_pipes = true});
  if (text) return parse_profile(*text, argument);
  if (names_workload(argument)) return workload_from(argument, processes);
  return Error{argument, text.error().what,
               fmt::format("name a profile, or a workload with its class: {}",
                           fmt::join(workload_names(), ", "))};
}

}  // namespace espalier::profile
