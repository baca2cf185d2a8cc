#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "base/json.hpp"
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
  const auto value = Json::read(text ? *text : "");
  const bool is_whole = value && value->contains("key") && value->at("key").is_string() &&
                        value->contains("made") && value->at("made").is_integer();
  if (!is_whole) {
    return Finding{kCachesArea, Severity::Warning, file, "it is broken, and passed over",
                   "remove it"};
  }
  const auto machine = discover::read_cache(file, value->at("key").get<std::string>(), now);
  if (!machine) {
    return Finding{kCachesArea, Severity::Warning, file,
                   machine.error().what + "; it is passed over",
                   "remove it: the machine is then measured again"};
  }
  const std::int64_t days = (now - value->at("made").get<std::int64_t>()) / kDay;
  if (!*machine) {
    return Finding{kCachesArea, Severity::Note, file,
                   fmt::format("measured {} days ago: too old to be used", days),
                   "nothing: the next run measures again; remove it if there is none"};
  }
  return std::nullopt;
}

/// It, or the nearest folder above it that is there.
fs::path nearest_there(fs::path folder) {
  std::error_code error;
  while (!fs::exists(fs::symlink_status(folder, error)) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  return folder;
}

/// Less than a machine and the choices for it may take.
bool is_full(const fs::path& folder) {
  constexpr std::uint64_t kEnough = std::uint64_t{1} << 20U;
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) != 0) return false;
  const bool has_files = disk.f_files == 0 || disk.f_favail > 0;  // some count no files
  return !has_files || std::uint64_t{disk.f_bavail} * disk.f_frsize < kEnough;
}

/// Why nothing can be kept there, and what helps; nothing if it can.
std::optional<Finding> why_not_kept(const std::string& folder) {
  const auto warning = [&](std::string what, std::string cure) {
    return Finding{kCachesArea, Severity::Warning, folder,
                   std::move(what) + ": machines are measured in every run", std::move(cure)};
  };
  std::error_code error;
  const fs::path there = nearest_there(folder);
  if (!fs::exists(there, error)) {
    return warning(fmt::format("{} is a link that leads nowhere", there.string()),
                   "make the folder that it names, or remove the link");
  }
  if (!fs::is_directory(there, error)) {
    return warning(fmt::format("{} is no folder", there.string()),
                   "remove it, or set XDG_CACHE_HOME to a folder");
  }
  if (::access(there.c_str(), W_OK | X_OK) != 0) {
    return warning("it cannot be written",
                   "make it yours, set XDG_CACHE_HOME, or set ESPALIER_CACHE=0 if that is meant");
  }
  if (is_full(there)) {
    return warning("its disk is full",
                   "make room, set XDG_CACHE_HOME to a folder elsewhere, or set ESPALIER_CACHE=0");
  }
  return std::nullopt;
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
  if (auto why = why_not_kept(folder)) return {*std::move(why)};
  std::error_code error;
  const bool is_link = fs::is_symlink(folder, error);
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
  all.insert(
      all.begin(),
      {kCachesArea, Severity::Ok, folder,
       fmt::format("what is measured can be kept{}; {} {} there",
                   is_link ? fmt::format(" (a link to {})", fs::canonical(folder, error).string())
                           : std::string(),
                   usable, usable == 1 ? "machine is" : "machines are"),
       ""});
  return all;
}

}  // namespace espalier::doctor
