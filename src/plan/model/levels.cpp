#include "model/levels.hpp"

namespace espalier::model {

MessageCost Levels::cost(Rank from, Rank to, Bytes size) const {
  const topology::Path path = machine_.path(from, to);
  const Time busy = machine_.costs(from).send.of(size) + transfer_time(size, path.bandwidth);
  const Time recv = machine_.costs(to).recv.of(size);
  return {busy, recv, busy + path.latency + recv};
}

}  // namespace espalier::model
