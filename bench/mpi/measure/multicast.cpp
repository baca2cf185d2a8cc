#include "multicast.hpp"

#include <algorithm>
#include <cstddef>
#include <espalier/multicast.hpp>
#include <span>

#include "clocks.hpp"

namespace measure {
namespace {

/// Carries multicasts where the library has no plan.
MPI_Comm lane() {
  static const MPI_Comm kLane = [] {
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return comm;
  }();
  return kLane;
}

Element sent(int root, std::size_t i) {
  return root * 1000003LL + static_cast<Element>(i % 251) + 1;
}

}  // namespace

Case multicast(const std::vector<int>& members, long bytes, int root) {
  const auto length = static_cast<std::size_t>(bytes);
  const int self = world_rank();
  Buffer whole((length + sizeof(Element) - 1) / sizeof(Element));
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = sent(root, i);
  Case made;
  made.in_place = true;
  made.out.resize(whole.size());
  made.in = self == root ? whole : Buffer(whole.size(), -1);
  const bool takes_part = std::find(members.begin(), members.end(), self) != members.end();
  made.is_right = [=](const Buffer& out) {
    const auto seen = std::as_bytes(std::span(out)).first(length);
    const auto wanted = std::as_bytes(std::span(whole)).first(length);
    return !takes_part || std::equal(seen.begin(), seen.end(), wanted.begin());
  };
  made.call = [=](Buffer&, Buffer& out) {
    espalier::mpi::Multicast one{std::as_writable_bytes(std::span(out)).first(length), root,
                                 members};
    int code = MPI_SUCCESS;
    if (!espalier::mpi::put_in_order(one, world_size())) return;
    if (!espalier::mpi::planned_multicasts({&one, 1}, MPI_COMM_WORLD, code)) {
      (void)espalier::mpi::native_multicast(one, self, lane());
    }
  };
  return made;
}

}  // namespace measure
