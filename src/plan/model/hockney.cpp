#include "model/hockney.hpp"

namespace espalier::model {

MessageCost Hockney::cost(Rank, Rank, Bytes size) const {
  const Time all = alpha_ + transfer_time(size, bandwidth_);
  return {all, all, all};
}

PairHockney::PairHockney(PairMatrix<Time> alpha, PairMatrix<Bandwidth> bandwidth)
    : alpha_(std::move(alpha)), bandwidth_(std::move(bandwidth)) {
  expects(alpha_.size() == bandwidth_.size(), "PairHockney: matrices of different size");
}

MessageCost PairHockney::cost(Rank from, Rank to, Bytes size) const {
  const Time all = alpha_(from, to) + transfer_time(size, bandwidth_(from, to));
  return {all, all, all};
}

MessageCost MachineHockney::cost(Rank from, Rank to, Bytes size) const {
  const topology::Path path = machine_.path(from, to);
  const Time all = machine_.costs(from).send.of(size) + path.latency +
                   transfer_time(size, path.bandwidth) + machine_.costs(to).recv.of(size);
  return {all, all, all};
}

}  // namespace espalier::model
