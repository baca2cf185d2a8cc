#include "model/logp_models.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::model {

Postal::Postal(Rank size, Time unit, Time delivered)
    : size_(size), unit_(unit), delivered_(delivered) {
  expects(Time{0} <= unit && unit <= delivered, "Postal: lambda is below 1");
}

MessageCost LogGP::cost(Rank, Rank, Bytes size) const {
  const Bytes after_the_first{size.value == 0 ? 0 : size.value - 1};
  const Time bytes = transfer_time(after_the_first, p_.bandwidth);
  const Time delivered = p_.overhead + bytes + p_.latency + p_.overhead;
  // A gap longer than the flight would keep the sender busy beyond delivery; the model's contract
  // (and LogP's own o <= g <= L) leaves that out.
  return {std::min(std::max(p_.gap, p_.overhead) + bytes, delivered), p_.overhead, delivered};
}

LevelLogGP::LevelLogGP(Rank size, std::vector<LogGPLevel> levels)
    : size_(size), levels_(std::move(levels)) {
  expects(!levels_.empty(), "LevelLogGP: there is no level");
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    expects(levels_[l].span > 0 && (l == 0 || levels_[l - 1].span < levels_[l].span),
            "LevelLogGP: the spans of the levels must grow");
  }
}

MessageCost LevelLogGP::cost(Rank from, Rank to, Bytes size) const {
  std::size_t l = 0;
  while (l + 1 < levels_.size() && from / levels_[l].span != to / levels_[l].span) ++l;
  return LogGP(size_, levels_[l].parameters).cost(from, to, size);
}

}  // namespace espalier::model
