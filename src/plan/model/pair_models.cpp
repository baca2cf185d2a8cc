#include "model/pair_models.hpp"

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

Lmo::Lmo(std::vector<topology::Cost> send, std::vector<topology::Cost> recv,
         PairMatrix<Time> latency, PairMatrix<Bandwidth> bandwidth)
    : send_(std::move(send)),
      recv_(std::move(recv)),
      latency_(std::move(latency)),
      bandwidth_(std::move(bandwidth)) {
  const Rank n = latency_.size();
  expects(send_.size() == n && recv_.size() == n && bandwidth_.size() == n,
          "Lmo: costs and matrices differ in size");
}

MessageCost Lmo::cost(Rank from, Rank to, Bytes size) const {
  const Time send = send_[from].of(size);
  const Time recv = recv_[to].of(size);
  return {send, recv, send + latency_(from, to) + transfer_time(size, bandwidth_(from, to)) + recv};
}

}  // namespace espalier::model
