#pragma once

#include <optional>

#include "mpi/element_buffers.hpp"
#include "mpi/local_steps.hpp"
#include "shared/fold.hpp"

namespace espalier::mpi {

/// How the elements of a reduction in shared memory are combined: by our own loops, where there are
/// such for its type and operation, else by MPI_Reduce_local.
class NodeCombine {
 public:
  NodeCombine(const Reduction& reduction, const Layout& layout);
  [[nodiscard]] const shared::Combine& get() const { return *combine_; }

 private:
  std::optional<shared::CombinePairs> by_mpi_;
  const shared::Combine* combine_;
};

}  // namespace espalier::mpi
