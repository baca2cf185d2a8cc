#pragma once

#include "model/cost_model.hpp"

namespace espalier::model {

/// A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman: "LogGP: incorporating long messages into
/// the LogP model", SPAA 1995. k bytes arrive after o + (k-1) G + L + o; the sender's next message
/// can start max(g, o) + (k-1) G after this one.
struct LogGPParameters {
  Time latency;                      ///< L
  Time overhead;                     ///< o, of the sender and of the receiver
  Time gap;                          ///< g, between messages
  Bandwidth bandwidth = kUnlimited;  ///< 1 / G
};

class LogGP : public CostModel {
 public:
  LogGP(Rank size, const LogGPParameters& parameters) : size_(size), p_(parameters) {}

  [[nodiscard]] Rank size() const override { return size_; }
  [[nodiscard]] MessageCost cost(Rank from, Rank to, Bytes size) const override;
  [[nodiscard]] std::string name() const override { return "loggp"; }

 private:
  Rank size_;
  LogGPParameters p_;
};

}  // namespace espalier::model
