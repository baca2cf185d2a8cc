#pragma once

#include <functional>
#include <vector>

#include "mpi/element_buffers.hpp"

namespace espalier::mpi {

/// What a call copies before and after it runs along its plan, with the memory for that.
struct Staged {
  std::vector<ElementMemory> memory;
  /// Bring the program's data to where the plan wants it. They return MPI error codes.
  std::vector<std::function<int()>> loads;
  /// Brings the result to where the program wants it; may be empty. @return an MPI error code
  std::function<int()> end;

  /// Memory that lives as long as the call.
  std::byte* add_memory(const Layout& layout, std::uint64_t count) {
    return memory.emplace_back(layout, count).address();
  }
  /// @return the first error. All are done: others wait for the call whatever comes of them
  [[nodiscard]] int load() const {
    int first = MPI_SUCCESS;
    for (const auto& one : loads) {
      const int code = one();
      if (first == MPI_SUCCESS) first = code;
    }
    return first;
  }
};

}  // namespace espalier::mpi
