#pragma once

#include "model/cost_model.hpp"

namespace espalier::model {

/// A send takes its sender one unit, a message arrives lambda units after its sender turned to it,
/// and the receiver is busy with it for the last of them. Equal for all pairs.
///
/// A. Bar-Noy, S. Kipnis: "Designing broadcasting algorithms in the postal model for
/// message-passing systems", SPAA 1992.
class Postal : public CostModel {
 public:
  /// @pre unit <= delivered; lambda is delivered / unit
  Postal(Rank size, Time unit, Time delivered);

  [[nodiscard]] Rank size() const override { return size_; }
  [[nodiscard]] MessageCost cost(Rank, Rank, Bytes) const override {
    return {unit_, unit_, delivered_};
  }
  [[nodiscard]] std::string name() const override { return "postal"; }

 private:
  Rank size_;
  Time unit_;
  Time delivered_;
};

}  // namespace espalier::model
