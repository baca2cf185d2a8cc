#pragma once

// Cost models as values: what one message costs between any two processes.
//
//   auto model = espalier::make_model(machine, "levels");
//   model->cost(0, 15, espalier::Bytes{65536}).delivered;

#include <memory>
#include <string>
#include <string_view>

#include "espalier/machine.hpp"

namespace espalier {

namespace model {
class CostModel;  // internal
}

/// What one message costs, counted from the moment its sender turns to it.
///
///   sender    |== sender_busy ==|                      may start its next message
///   receiver                 |== receiver_busy ==|     has it, may forward it
///             0                                  delivered
struct MessageCost {
  Time sender_busy;
  Time receiver_busy;
  Time delivered;
  friend bool operator==(const MessageCost&, const MessageCost&) = default;
};

/// Pure: the same arguments give the same picoseconds on every CPU. Copies share it; it keeps its
/// machine.
class [[gnu::visibility("default")]] Model {
 public:
  /// "levels", "hockney", ...
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const Machine& machine() const { return machine_; }
  /// @pre from and to are different ranks of the machine
  [[nodiscard]] MessageCost cost(Rank from, Rank to, Bytes size) const;

  /// Internal.
  Model(Machine machine, std::shared_ptr<const model::CostModel> inside)
      : machine_(std::move(machine)), inside_(std::move(inside)) {}
  [[nodiscard]] const model::CostModel& inside() const { return *inside_; }

 private:
  Machine machine_;
  std::shared_ptr<const model::CostModel> inside_;
};

/// A model by name: "levels" (the machine's own figures), "node-initiation", "hockney", "lmo",
/// "loggp:L=5us,o=1us,g=2us,bandwidth=10Gbit/s", "postal:lambda=2.5[,unit=1us]"; all in
/// model_names(). @param size the message that node-initiation's costs are for
[[nodiscard, gnu::visibility("default")]] Expected<Model> make_model(
    const Machine& machine, std::string_view name = "levels", Bytes size = Bytes{1024});

/// The names, with commas between them.
[[nodiscard, gnu::visibility("default")]] std::string model_names();

}  // namespace espalier
