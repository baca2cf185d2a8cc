#include "mpi/hidden_share.hpp"

namespace espalier::mpi {

bool HiddenShare::take() {
  const int before = taken_.fetch_add(1);
  if (before >= kMost || is_closed_.load()) {
    taken_.fetch_sub(1);
    return false;
  }
  for (int most = most_.load(); most <= before;) {
    if (most_.compare_exchange_weak(most, before + 1)) break;
  }
  return true;
}
void HiddenShare::give_back() { taken_.fetch_sub(1); }
int HiddenShare::taken() const { return taken_.load(); }

}  // namespace espalier::mpi
