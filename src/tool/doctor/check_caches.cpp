#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "discover/cache.hpp"
#include "doctor/checks.hpp"

namespace espalier::doctor {
namespace {

namespace fs = std::filesystem;
constexpr const char* kCachesArea = "cache";
constexpr std::int64_t kDay = 24 * 3600;

/// Nothing if it is as it should be.
std::optional<Finding> check_file(const std::string& file, std::int64_t now) {
  const auto text = read_named_file(file);  // parsed below, which says whether it may be used
  const auto value = nlohmann::json::parse(text ? *text : "", nullptr, /*allow_exceptions=*/false);
  const bool is_whole = value.is_object() && value.contains("key") && value["key"].is_string() &&
                        value.contains("made") && value["made"].is_number_integer();
  if (!is_whole) {
    return Finding{kCachesArea, Severity::Warning, file, "it is broken, and passed over",
                   "remove it"};
  }
  const auto machine = discover::read_cache(file, value["key"].get<std::string>(), now);
  if (!machine) {
    return Finding{kCachesArea, Severity::Warning, file,
                   machine.error().what + "; it is passed over",
                   "remove it: the machine is then measured again"};
  }
  const std::int64_t days = (now - value["made"].get<std::int64_t>()) / kDay;
  if (!*machine) {
    return Finding{kCachesArea, Severity::Note, file,
                   fmt::format("measured {} days ago: too old to be used", days),
                   "nothing: the next run measures again; remove it if there is none"};
  }
  return std::nullopt;
}

/// Whether it, or the nearest folder above it that is there, may be written to.
bool can_be_written(fs::path folder) {
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  return fs::is_directory(folder, error) && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

Findings check_caches(const Environment& environment, std::int64_t now) {
  const std::string folder = discover::cache_folder(value_of(environment, "XDG_CACHE_HOME"),
                                                    value_of(environment, "HOME"));
  if (folder.empty()) {
    return {{kCachesArea, Severity::Warning, "cache",
             "neither XDG_CACHE_HOME nor HOME names a folder: machines are measured in every run",
             "set HOME"}};
  }
  if (!can_be_written(folder)) {
    return {{kCachesArea, Severity::Warning, folder,
             "it cannot be written: machines are measured in every run",
             "make it yours, set XDG_CACHE_HOME, or set ESPALIER_CACHE=0 if that is meant"}};
  }
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("machine-") && name.ends_with(".json")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  Findings all;
  for (const std::string& file : files) {
    if (auto finding = check_file(file, now)) all.push_back(std::move(*finding));
  }
  const std::size_t usable = files.size() - all.size();
  all.insert(all.begin(), {kCachesArea, Severity::Ok, folder,
                           fmt::format("what is measured can be kept; {} {} there", usable,
                                       usable == 1 ? "machine is" : "machines are"),
                           ""});
  return all;
}

}  // namespace espalier::doctor
