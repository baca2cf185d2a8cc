#include "model/lmo.hpp"

namespace espalier::model {

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

MessageCost MachineLmo::cost(Rank from, Rank to, Bytes size) const {
  const topology::Path path = machine_.path(from, to);
  const Time send = machine_.costs(from).send.of(size);
  const Time recv = machine_.costs(to).recv.of(size);
  return {send, recv, send + path.latency + transfer_time(size, path.bandwidth) + recv};
}

}  // namespace espalier::model
