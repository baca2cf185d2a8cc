#include "lab/rank_board.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/contract.hpp"
#include "base/file.hpp"
#include "base/file_descriptor.hpp"
#include "lab/state.hpp"

namespace espalier::lab {
Expected<RankBoard> RankBoard::create(const std::string& path,
                                      const std::vector<EspalierRankCell>& cells) {
  {
    const auto fd = create_own_file(path, 0644);
    if (!fd) return fd.error();
    const std::size_t size = cells.size() * sizeof(EspalierRankCell);
    // Where the disk is full, a write through a mapping into a hole ends the process (SIGBUS).
    if (const int code = allocate_file(fd->get(), size); code != 0) {
      errno = code;
      return system_error(path, "cannot make the ranks' file");
    }
  }
  auto board = open(path, cells.size());
  if (!board) return board;
  for (Rank r = 0; r < cells.size(); ++r) board->write(r, cells[r]);
  return board;
}

Expected<RankBoard> RankBoard::open(const std::string& path, std::size_t ranks) {
  const FileDescriptor fd(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return system_error(path, "cannot open the ranks' file");
  struct stat found {};
  const std::size_t size = ranks * sizeof(EspalierRankCell);
  if (::fstat(fd.get(), &found) != 0 || static_cast<std::size_t>(found.st_size) != size) {
    return Error{path, "is not of this lab", "take it down and up again"};
  }
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) return system_error(path, "cannot map the ranks' file");
  return RankBoard(memory, ranks);
}

RankBoard::~RankBoard() {
  if (memory_ != nullptr) ::munmap(memory_, ranks_ * sizeof(EspalierRankCell));
}

EspalierRankCell* RankBoard::cell(Rank rank) const {
  expects(rank < ranks_, "RankBoard: there is no such rank");
  return static_cast<EspalierRankCell*>(memory_) + rank;
}

EspalierRankCell RankBoard::read(Rank rank) const {
  const EspalierRankCell* from = cell(rank);
  return {__atomic_load_n(&from->send_ns, __ATOMIC_RELAXED),
          __atomic_load_n(&from->send_bits_per_second, __ATOMIC_RELAXED),
          __atomic_load_n(&from->cpu_permille, __ATOMIC_RELAXED),
          __atomic_load_n(&from->cpu_by_library, __ATOMIC_RELAXED)};
}

void RankBoard::write(Rank rank, const EspalierRankCell& value) {
  EspalierRankCell* to = cell(rank);
  __atomic_store_n(&to->send_ns, value.send_ns, __ATOMIC_RELAXED);
  __atomic_store_n(&to->send_bits_per_second, value.send_bits_per_second, __ATOMIC_RELAXED);
  __atomic_store_n(&to->cpu_permille, value.cpu_permille, __ATOMIC_RELAXED);
  __atomic_store_n(&to->cpu_by_library, value.cpu_by_library, __ATOMIC_RELAXED);
}

std::vector<EspalierRankCell> rank_cells(const topology::Machine& machine) {
  std::uint64_t fastest = 1;
  for (Rank r = 0; r < machine.size(); ++r) {
    fastest = std::max(fastest, machine.costs(r).speed_millionths);
  }
  std::vector<EspalierRankCell> cells;
  for (Rank r = 0; r < machine.size(); ++r) {
    const topology::NodeCosts& costs = machine.costs(r);
    const std::uint64_t rate = costs.send.rate.unlimited() ? 0 : costs.send.rate.bits_per_second;
    const std::uint64_t share = costs.speed_millionths * kAllOfACore / fastest;
    cells.push_back({costs.send.fixed.picoseconds / 1000, static_cast<std::int64_t>(rate),
                     std::max<std::int64_t>(1, static_cast<std::int64_t>(share)), 0});
  }
  return cells;
}

}  // namespace espalier::lab
