#include "profile/load.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <filesystem>

#include "base/file.hpp"
#include "profile/json.hpp"
#include "profile/workload.hpp"

namespace espalier::profile {
namespace {

constexpr std::uint64_t kMostProfileBytes = std::uint64_t{4} << 30U;  // traces may be long

/// One of them is at the beginning of each large file.
constexpr std::array<std::string_view, 4> kSigns{"espalier-profile-", ",", ";", " "};
constexpr std::uint64_t kBeginning = std::uint64_t{64} << 10U;

/// Whether a text that begins so may be a profile: JSON, or lines of figures.
bool may_be_profile(std::string_view begin) {
  if (begin.starts_with("\xef\xbb\xbf")) begin.remove_prefix(3);
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return true;  // said later: it is empty
  begin.remove_prefix(first);
  if (begin.front() == '{' || begin.front() == '#' || begin.starts_with("from")) return true;
  return looks_like_monitoring(begin) || (begin.front() >= '0' && begin.front() <= '9');
}

Error no_profile(std::string where) {
  return {std::move(where), "neither JSON nor lines of figures",
          "a profile is what espalier run --profile wrote, what Open MPI's monitoring wrote, or "
          "lines of from,to,messages,bytes"};
}

bool names_workload(const std::string& argument) {
  for (const std::string& name : workload_names()) {
    if (argument.rfind(name + ".", 0) == 0 && argument.find('/') == std::string::npos) return true;
  }
  return false;
}

Expected<Profile> workload_from(const std::string& argument, Rank processes) {
  constexpr Rank kMostOfWorkload = 65'536;  // above half a gigabyte
  if (processes > kMostOfWorkload) {
    return Error{
        "--processes",
        fmt::format("{} processes; workloads are made for up to {}", processes, kMostOfWorkload),
        "take fewer, or record the program: espalier run --profile FILE"};
  }
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
  if (!may_be_profile(std::string_view(text).substr(0, kBeginning))) return no_profile(file + ":1");
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') return read_json(text, file);
  if (looks_like_monitoring(text)) return read_openmpi_monitoring(text, file);
  return read_csv(text, file);
}

Expected<Profile> load_profile(const std::string& argument, Rank processes) {
  std::error_code error;
  if (argument == "-" || std::filesystem::exists(argument, error)) {
    if (!may_be_profile(beginning_of_file(argument, kBeginning))) return no_profile(argument);
    const auto text = read_named_file(
        argument, {.most = kMostProfileBytes, .takes_pipes = true, .signs = kSigns});
    if (text) return parse_profile(*text, argument == "-" ? "standard input" : argument);
    // Its signs are punctuation, which would tell a reader nothing.
    if (text.error().what.find("none of") != std::string::npos)
      return no_profile(text.error().where);
    return Error{text.error().where, text.error().what,
                 "name a file that espalier run --profile wrote"};
  }
  if (names_workload(argument)) return workload_from(argument, processes);
  return Error{argument.substr(0, 200), "there is no such file",
               fmt::format("name a profile, or a workload with its class: {}",
                           fmt::join(workload_names(), ", "))};
}

}  // namespace espalier::profile
