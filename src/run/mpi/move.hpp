#pragma once

#include "mpi/arguments.hpp"
#include "mpi/byte_buffer.hpp"
#include "mpi/engine.hpp"

namespace espalier::mpi {

/// A call that moves data without combining, as this rank sees it. In place, `in` lies within
/// `out`.
struct Engine::Move {
  schedule::Operation operation;
  Rank root = 0;
  std::uint64_t block = 0;  ///< bytes of a block
  UserData in = {};
  UserData out = {};
  bool in_place = false;
  bool drops_out = false;  ///< a scatter's root in place: its own block stays where it is
};

[[nodiscard]] inline UserData data_at(const void* address, std::uint64_t first, std::uint64_t count,
                                      const Layout& layout) {
  return {bytes_at(address) + static_cast<std::int64_t>(first) * layout.extent, count, layout};
}

[[nodiscard]] inline UserData blocks_at(const void* address, std::int64_t count, int blocks,
                                        MPI_Datatype type) {
  return {bytes_at(address), static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(blocks),
          layout_of(type)};
}

/// One of the blocks of `all`.
[[nodiscard]] inline UserData block_of(const UserData& all, int block, std::int64_t count) {
  return data_at(all.address, static_cast<std::uint64_t>(block) * static_cast<std::uint64_t>(count),
                 static_cast<std::uint64_t>(count), all.layout);
}

}  // namespace espalier::mpi
