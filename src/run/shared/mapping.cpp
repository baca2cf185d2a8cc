#include "shared/mapping.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file_descriptor.hpp"

namespace espalier::shared {
namespace {

Error failure(const char* what, int code) {
  return {"shared memory", fmt::format("{}: {}", what, std::strerror(code)), ""};
}

/// Up to this length all pages are entered at once: else the first calls, which are compared with
/// native ones, would each enter some. Longer ones take too long to enter for programs that use
/// few.
constexpr std::uint64_t kMostAtOnce = 8 * 1024 * 1024;

/// Whether the process may have files of this length. Else the system would end it by a signal.
bool may_be_so_long(std::uint64_t bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         limit.rlim_cur >= bytes;
}

}  // namespace

Mapping::~Mapping() {
  close_file();
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

void Mapping::swap(Mapping& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(file_, other.file_);
}

void Mapping::close_file() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

Expected<Mapping> Mapping::map(int file, std::uint64_t bytes) {
  Mapping mapping;
  mapping.file_ = file;
  const int flags = MAP_SHARED | (bytes <= kMostAtOnce ? MAP_POPULATE : 0);
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
  if (at == MAP_FAILED) return failure("mmap", errno);
  mapping.data_ = static_cast<std::byte*>(at);
  mapping.bytes_ = bytes;
  ::madvise(at, bytes, MADV_DONTFORK);
  return mapping;
}

Expected<Mapping> Mapping::create(std::uint64_t bytes) {
  if (!may_be_so_long(bytes)) return failure("the limit of file sizes", EFBIG);
  // Systems that refuse memory that may be executed want the flag, older ones do not know it.
  constexpr unsigned kNoExec = 0x0008U;
  int file = ::memfd_create("espalier", MFD_CLOEXEC | kNoExec);
  if (file < 0 && errno == EINVAL) file = ::memfd_create("espalier", MFD_CLOEXEC);
  if (file < 0) return failure("memfd_create", errno);
  if (const int code = allocate_file(file, bytes); code != 0) {
    ::close(file);
    return failure("posix_fallocate", code);
  }
  return map(file, bytes);
}

Expected<Mapping> Mapping::open(int process, int file, std::uint64_t bytes) {
  const std::string name = fmt::format("/proc/{}/fd/{}", process, file);
  // Looked at before it is opened: on another host, or among other processes, it may be a pipe or
  // a device.
  const int seen = ::open(name.c_str(), O_PATH | O_CLOEXEC);
  if (seen < 0) return failure(name.c_str(), errno);
  struct stat info {};
  const bool is_such_a_file = ::fstat(seen, &info) == 0 && S_ISREG(info.st_mode) &&
                              static_cast<std::uint64_t>(info.st_size) == bytes;
  const std::string own = fmt::format("/proc/self/fd/{}", seen);
  const int opened = is_such_a_file ? ::open(own.c_str(), O_RDWR | O_CLOEXEC) : -1;
  const int code = is_such_a_file ? errno : ENODEV;
  ::close(seen);
  if (opened < 0) return failure(name.c_str(), code);
  return map(opened, bytes);
}

}  // namespace espalier::shared
