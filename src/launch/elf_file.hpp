#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace espalier::launch {

/// Parts of a file that may end anywhere: no read goes beyond it.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : path_(path), stream_(path, std::ios::binary) {}
  [[nodiscard]] bool is_open() const { return stream_.is_open(); }

  /// Nothing if the file is shorter.
  std::optional<std::string> read(std::uint64_t offset, std::uint64_t length) {
    constexpr std::uint64_t kMostBytes = 1U << 26U;  // of any table: far more than there are
    if (length > kMostBytes || offset > (std::uint64_t{1} << 62U)) return std::nullopt;
    std::string bytes(length, '\0');
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(bytes.data(), static_cast<std::streamsize>(length));
    if (stream_.gcount() != static_cast<std::streamsize>(length)) return std::nullopt;
    return bytes;
  }
  template <typename T>
  std::optional<std::vector<T>> read_all(std::uint64_t offset, std::uint64_t count) {
    const auto bytes = read(offset, count * sizeof(T));
    if (!bytes) return std::nullopt;
    std::vector<T> all(count);
    std::memcpy(all.data(), bytes->data(), bytes->size());
    return all;
  }
  [[nodiscard]] Error broken() const {
    return {path_, "it is no whole program for this kind of computer", "build it again"};
  }

 private:
  std::string path_;
  std::ifstream stream_;
};

}  // namespace espalier::launch
