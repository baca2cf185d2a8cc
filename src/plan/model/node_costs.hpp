#pragma once

#include <vector>

#include "model/cost_model.hpp"
#include "topology/machine.hpp"

namespace espalier::model {

/// A message occupies its sender for that node's initiation cost; the receiver has it, and may
/// forward it, at that moment. Links, sizes and receiving cost nothing.
///
/// M. Banikazemi, V. Moorthy, D. Panda: "Efficient collective communication on heterogeneous
/// networks of workstations", ICPP 1998, section 3.
class NodeInitiation : public CostModel {
 public:
  explicit NodeInitiation(std::vector<Time> send_cost) : send_cost_(std::move(send_cost)) {}

  [[nodiscard]] Rank size() const override { return static_cast<Rank>(send_cost_.size()); }
  [[nodiscard]] MessageCost cost(Rank from, Rank, Bytes) const override {
    return {send_cost_[from], Time{0}, send_cost_[from]};
  }
  [[nodiscard]] std::string name() const override { return "node-initiation"; }

 private:
  std::vector<Time> send_cost_;
};

/// Each rank's cost of sending `size` bytes, the links left out: what FNF, SPOC and the exact
/// optimum look at.
[[nodiscard]] std::vector<Time> send_costs(const topology::Machine& machine, Bytes size);
/// Each rank's cost of receiving `size` bytes, the links left out.
[[nodiscard]] std::vector<Time> recv_costs(const topology::Machine& machine, Bytes size);

/// How long each rank needs to combine an operand of `size` bytes with its own in a reduction.
[[nodiscard]] std::vector<Time> combine_costs(const topology::Machine& machine, Bytes size);

}  // namespace espalier::model
