#include "model/level_loggp.hpp"

#include "base/contract.hpp"

namespace espalier::model {

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
