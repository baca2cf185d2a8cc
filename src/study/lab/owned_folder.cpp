#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/file.hpp"
#include "lab/state.hpp"

namespace espalier::lab {
namespace {

constexpr const char* kOwn = "own";
constexpr const char* kSignName = "espalier-lab";
constexpr std::array<std::string_view, 9> kFiles{
    kSignName, "machine.json", "holders", "router", "links", "ranks", "cpu", "hosts", "rsh"};

/// It names the folder: a copy of it elsewhere says nothing.
std::string sign_begins(const StateFolder& folder) {
  return fmt::format("espalier lab state\nfolder {}\n", folder.path);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "hostfile.1234", "machine.1234.json": of one run.
bool is_of_a_run(std::string_view name) {
  for (const auto& [begin, end] : {std::pair<std::string_view, std::string_view>{"hostfile.", ""},
                                   {"machine.", ".json"},
                                   {"measured.", ""}}) {
    if (name.size() > begin.size() + end.size() && name.starts_with(begin) && name.ends_with(end) &&
        is_number(name.substr(begin.size(), name.size() - begin.size() - end.size()))) {
      return true;
    }
  }
  return false;
}

bool is_a_labs_file(std::string_view name) {
  if (is_of_a_run(name)) return true;
  return std::any_of(kFiles.begin(), kFiles.end(), [name](std::string_view one) {
    return name == one || is_unfinished(name, one) || name == fmt::format("{}.new", one);
  });
}

Expected<std::vector<std::string>> names_in(const std::string& folder) {
  std::error_code bad;
  std::vector<std::string> names;
  auto entries = std::filesystem::directory_iterator(folder, bad);
  for (; !bad && entries != std::filesystem::directory_iterator(); entries.increment(bad)) {
    names.push_back(entries->path().filename().string());
  }
  if (bad) return Error{folder, "cannot be read: " + bad.message(), ""};
  std::sort(names.begin(), names.end());
  return names;
}

/// Labs of versions that put no sign there: nothing but their files, and a shell that names the
/// folder.
bool is_of_older_version(const StateFolder& folder, const std::vector<std::string>& names) {
  const bool all_known = std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return name == kOwn || is_a_labs_file(name);
  });
  if (!all_known) return false;
  const auto shell = read_own_file(folder.shell(), 65536);
  return shell && *shell &&
         (*shell)->find(fmt::format(" lab exec --state '{}' ", folder.path)) != std::string::npos;
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> first(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, names.size())));
  return fmt::format("{}{}", fmt::join(first, ", "), names.size() > kMost ? ", ..." : "");
}

}  // namespace

std::optional<Error> why_not_trusted(const StateFolder& folder) {
  struct stat info {};
  if (::stat(folder.path.c_str(), &info) != 0) return std::nullopt;
  const bool is_ours = info.st_uid == ::geteuid() || info.st_uid == 0;
  const bool group_writes = (info.st_mode & S_IWGRP) != 0 && info.st_gid != ::getegid();
  if (is_ours && !group_writes && (info.st_mode & S_IWOTH) == 0) return std::nullopt;
  return Error{folder.path,
               is_ours ? "other users may write to it: what a lab keeps there could be theirs"
                       : fmt::format("it belongs to another user (id {})", info.st_uid),
               "give --state a folder that is not there yet, or an empty one of your own"};
}

std::optional<Error> why_not_a_labs(const StateFolder& folder) {
  if (auto e = why_not_trusted(folder)) return e;
  const auto names = names_in(folder.path);
  if (!names) return names.error();
  const bool is_empty = std::all_of(names->begin(), names->end(), [](const std::string& name) {
    return is_unfinished(name, kSignName);
  });
  if (is_empty) return std::nullopt;
  const auto sign = read_own_file(folder.sign(), 65536);
  if (sign && *sign && (*sign)->starts_with(sign_begins(folder))) return std::nullopt;
  if (is_of_older_version(folder, *names)) return std::nullopt;
  return Error{folder.path,
               fmt::format("it is no lab's folder: it holds {}, and no file of ours that says so "
                           "({}). Nothing was touched",
                           some_of(*names), kSignName),
               "give --state a folder that is not there yet, or an empty one"};
}

std::optional<Error> put_sign(const StateFolder& folder) {
  return replace_own_file(
      folder.sign(),
      sign_begins(folder) + "\"espalier lab down\" removes the lab's files from this folder.\n",
      0644);
}

Expected<std::vector<std::string>> remove_lab_files(const StateFolder& folder) {
  const auto names = names_in(folder.path);
  if (!names) return names.error();
  const FileDescriptor at(
      ::open(folder.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!at) return Error{folder.path, std::strerror(errno), ""};
  std::vector<std::string> left;
  const auto remove = [&](const std::string& name) -> std::optional<Error> {
    const bool is_folder = name == kOwn;
    struct stat info {};
    if (::fstatat(at.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
    const bool is_right = is_folder ? S_ISDIR(info.st_mode) : S_ISREG(info.st_mode);
    if (!is_right || (!is_folder && !is_a_labs_file(name))) {
      left.push_back(name);
      return std::nullopt;
    }
    if (::unlinkat(at.get(), name.c_str(), is_folder ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT) {
      return std::nullopt;
    }
    if (is_folder && (errno == ENOTEMPTY || errno == EEXIST)) {
      left.push_back(name);
      return std::nullopt;
    }
    return Error{folder.path + "/" + name,
                 fmt::format("cannot be removed: {}", std::strerror(errno)), ""};
  };
  // The sign last: a folder whose files are only partly removed is still a lab's.
  for (const std::string& name : *names) {
    if (name == kSignName) continue;
    if (auto e = remove(name)) return *std::move(e);
  }
  if (auto e = remove(kSignName)) return *std::move(e);
  return left;
}

}  // namespace espalier::lab
