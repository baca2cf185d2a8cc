#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"

namespace espalier::launch {

/// Parts of a file that may end anywhere: no read goes beyond it.
class ElfFile {
 public:
  /// Only a regular file is opened: a FIFO would hold us up.
  explicit ElfFile(const std::string& path)
      : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    struct stat info {};
    if (file_ && (::fstat(file_.get(), &info) != 0 || !S_ISREG(info.st_mode))) {
      file_ = FileDescriptor();
    }
  }
  [[nodiscard]] bool is_open() const { return static_cast<bool>(file_); }

  /// Nothing if the file is shorter.
  std::optional<std::string> read(std::uint64_t offset, std::uint64_t length) {
    constexpr std::uint64_t kMostBytes = 1U << 26U;  // real tables are far shorter
    if (length > kMostBytes || offset > (std::uint64_t{1} << 62U)) return std::nullopt;
    struct stat info {};
    if (::fstat(file_.get(), &info) != 0 ||
        offset + length > static_cast<std::uint64_t>(info.st_size)) {
      return std::nullopt;
    }
    std::string bytes(length, '\0');
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t got = ::pread(file_.get(), bytes.data() + done, bytes.size() - done,
                                  static_cast<off_t>(offset + done));
      if (got <= 0) return std::nullopt;
      done += static_cast<std::size_t>(got);
    }
    return bytes;
  }
  template <typename T>
  std::optional<std::vector<T>> read_all(std::uint64_t offset, std::uint64_t count) {
    const auto bytes = read(offset, count * sizeof(T));
    if (!bytes) return std::nullopt;
    std::vector<T> all(count);
    if (count > 0) std::memcpy(all.data(), bytes->data(), bytes->size());
    return all;
  }
  [[nodiscard]] Error broken() const {
    return {path_, "it is no whole program for this kind of computer", "build it again"};
  }

 private:
  std::string path_;
  FileDescriptor file_;
};

}  // namespace espalier::launch
