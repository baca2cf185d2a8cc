#pragma once

#include <utility>

#include "mpi/mpi_api.hpp"

namespace espalier::mpi {

/// A handle that is freed with its owner.
template <typename Handle, int (*Free)(Handle*)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle), owns_(true) {}
  Owned(Owned&& other) noexcept
      : handle_(other.handle_), owns_(std::exchange(other.owns_, false)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(owns_, other.owns_);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (owns_) Free(&handle_);
  }

  [[nodiscard]] Handle get() const { return handle_; }
  /// Leaves the handle to the process: it is never freed.
  void abandon() { owns_ = false; }
  [[nodiscard]] explicit operator bool() const { return owns_; }

 private:
  Handle handle_{};
  bool owns_ = false;
};

using OwnedComm = Owned<MPI_Comm, PMPI_Comm_free>;
using OwnedType = Owned<MPI_Datatype, PMPI_Type_free>;
using OwnedGroup = Owned<MPI_Group, PMPI_Group_free>;

}  // namespace espalier::mpi
