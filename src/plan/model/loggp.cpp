#include "model/loggp.hpp"

#include <algorithm>

namespace espalier::model {

MessageCost LogGP::cost(Rank, Rank, Bytes size) const {
  const Bytes after_the_first{size.value == 0 ? 0 : size.value - 1};
  const Time bytes = transfer_time(after_the_first, p_.bandwidth);
  const Time delivered = p_.overhead + bytes + p_.latency + p_.overhead;
  // A gap longer than the flight would keep the sender busy beyond delivery; the model's contract
  // (and LogP's own o <= g <= L) leaves that out.
  return {std::min(std::max(p_.gap, p_.overhead) + bytes, delivered), p_.overhead, delivered};
}

}  // namespace espalier::model
