#include "lab/link_board.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"
#include "lab/state.hpp"

namespace espalier::lab {

struct LinkBoard::Header {
  std::uint64_t magic = kMagic;
  std::uint64_t links = 0;
  RouterCell router;
  static constexpr std::uint64_t kMagic = 0x3262616c70736531;  // changes with the layout
};

Expected<LinkBoard> LinkBoard::map(const std::string& path, int fd, std::size_t links) {
  const std::size_t size = sizeof(Header) + links * sizeof(LinkCell);
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int why = errno;
  ::close(fd);
  errno = why;
  if (memory == MAP_FAILED) return system_error(path, "cannot map the links");
  return LinkBoard(memory, links);
}

Expected<LinkBoard> LinkBoard::create(const std::string& path, std::span<const LabLink> links,
                                      Time longest_queue) {
  auto made = create_own_file(path, 0644);
  if (!made) return made.error();
  const std::size_t size = sizeof(Header) + links.size() * sizeof(LinkCell);
  // Where the disk is full, a write through a mapping into a hole ends the process (SIGBUS).
  if (const int code = allocate_file(made->get(), size); code != 0) {
    errno = code;
    return system_error(path, "cannot make the links");
  }
  auto board = map(path, made->release(), links.size());
  if (!board) return board;
  auto* header = new (board->memory_) Header;
  header->links = links.size();
  header->router.longest_queue_ns = longest_queue.picoseconds / 1000;
  auto* cells = reinterpret_cast<LinkCell*>(header + 1);
  for (std::size_t i = 0; i < links.size(); ++i) set_up(*new (cells + i) LinkCell, links[i]);
  return board;
}

Expected<LinkBoard> LinkBoard::open(const std::string& path, std::size_t links) {
  const int fd = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return system_error(path, "cannot open the links");
  struct stat found {};
  const std::size_t size = sizeof(Header) + links * sizeof(LinkCell);
  if (::fstat(fd, &found) != 0 || static_cast<std::size_t>(found.st_size) != size) {
    ::close(fd);
    return Error{path, "is not of this lab", "take it down and up again"};
  }
  auto board = map(path, fd, links);
  if (!board) return board;
  const auto* header = static_cast<const Header*>(board->memory_);
  if (header->magic != Header::kMagic || header->links != links) {
    return Error{path, "is of another version of espalier", "take the lab down and up again"};
  }
  return board;
}

LinkBoard::~LinkBoard() {
  if (memory_ != nullptr) ::munmap(memory_, sizeof(Header) + links_ * sizeof(LinkCell));
}

std::span<LinkCell> LinkBoard::cells() {
  return {reinterpret_cast<LinkCell*>(static_cast<Header*>(memory_) + 1), links_};
}

RouterCell& LinkBoard::router() { return static_cast<Header*>(memory_)->router; }

}  // namespace espalier::lab
