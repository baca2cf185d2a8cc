#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "mpi/mpi_api.hpp"

namespace espalier::mpi {

/// Depths and colours of a communicator's processes as attributes cached on it, which any library
/// in the process can read with MPI_Comm_get_attr.
///
/// After N. Karonis, B. de Supinski, I. Foster, W. Gropp, E. Lusk, J. Bresnahan: "Exploiting
/// hierarchy in parallel computer networks to optimize collective operation performance", IPDPS
/// 2000, which names this as future work. A copy of a communicator (MPI_Comm_dup)
/// gets copies of them, since it has the same processes in the same order.
class TopologyAttributes {
 public:
  TopologyAttributes() = default;
  ~TopologyAttributes();
  TopologyAttributes(const TopologyAttributes&) = delete;
  TopologyAttributes& operator=(const TopologyAttributes&) = delete;

  struct Keyvals {
    int depths = MPI_KEYVAL_INVALID;   ///< its values: int[ranks]
    int colours = MPI_KEYVAL_INVALID;  ///< its values: int*[ranks], each with as many as the depth
  };
  /// The same for all communicators of the process; made when they are first asked for.
  [[nodiscard]] Keyvals keyvals();

  /// Attaches both to a communicator; what was attached before goes. Local.
  /// @param colours of each rank, level by level
  void attach(MPI_Comm comm, std::span<const std::vector<int>> colours);

 private:
  std::mutex mutex_;
  Keyvals keyvals_;
};

}  // namespace espalier::mpi
