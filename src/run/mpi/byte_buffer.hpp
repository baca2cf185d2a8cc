#pragma once

#include "mpi/element_buffers.hpp"
#include "mpi/local_steps.hpp"

namespace espalier::mpi {

/// The layout of plain bytes.
[[nodiscard]] inline Layout byte_layout() { return {MPI_BYTE, 1, 1, 0, 1, true}; }

/// Elements of the user, as a call describes them.
struct UserData {
  std::byte* address = nullptr;  ///< element 0, as MPI wants it; inputs are never written
  std::uint64_t count = 0;
  Layout layout = byte_layout();

  [[nodiscard]] std::uint64_t bytes() const {
    return count * static_cast<std::uint64_t>(layout.size);
  }
};

/// Elements of the user as contiguous bytes: where they lie if they are contiguous, else in a copy.
class ByteBuffer {
 public:
  ByteBuffer() = default;
  /// @param apart make a copy in any case
  explicit ByteBuffer(const UserData& data, bool apart = false);

  [[nodiscard]] std::byte* address() const { return address_; }
  /// Bytes of the copy, 0 if there is none.
  [[nodiscard]] std::uint64_t copied() const { return copy_.size(); }
  void abandon() { copy_.abandon(); }
  /// load() copies the user's memory into the copy, if there is one; store() copies it back. Both
  /// return an MPI error code.
  [[nodiscard]] int load(const SelfLane& self) const;
  [[nodiscard]] int store(const SelfLane& self) const;

 private:
  UserData data_;
  ElementMemory copy_;
  std::byte* address_ = nullptr;
};

}  // namespace espalier::mpi
