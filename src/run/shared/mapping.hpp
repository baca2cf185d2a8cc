#pragma once

#include <cstddef>
#include <cstdint>

#include "base/expected.hpp"

namespace espalier::shared {

/// Memory that processes of one node share. It has no name in any file system: it goes when the
/// last process that has it ends, however that ends. A child of fork() does not have it.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept { swap(other); }
  Mapping& operator=(Mapping&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Mapping();

  /// New memory of zeros, all of it there: no access fails later for want of memory.
  [[nodiscard]] static Expected<Mapping> create(std::uint64_t bytes);
  /// The memory that another process has open as this file. It may be any other file, if that
  /// process is on another node: whoever opens it must look for what was written there.
  [[nodiscard]] static Expected<Mapping> open(int process, int file, std::uint64_t bytes);

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// The file for others to open; -1 once it is closed.
  [[nodiscard]] int file() const { return file_; }
  /// Nobody can open it any more; the memory stays.
  void close_file();

 private:
  [[nodiscard]] static Expected<Mapping> map(int file, std::uint64_t bytes);
  void swap(Mapping& other) noexcept;

  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  int file_ = -1;
};

}  // namespace espalier::shared
