#include <espalier/model.hpp>

#include "base/contract.hpp"
#include "model/cost_model.hpp"
#include "model/parse_model.hpp"

namespace espalier {

std::string Model::name() const { return inside_->name(); }

MessageCost Model::cost(Rank from, Rank to, Bytes size) const {
  expects(from < machine_.size() && to < machine_.size() && from != to,
          "Model::cost: not two ranks of the machine");
  const model::MessageCost cost = inside_->cost(from, to, size);
  return {cost.sender_busy, cost.receiver_busy, cost.delivered};
}

Expected<Model> make_model(const Machine& machine, std::string_view name, Bytes size) {
  auto made = model::parse_model(name, *machine.inside(), size);
  if (!made) {
    Error error = made.error();
    if (error.where.empty()) error.where = "model";
    return error;
  }
  return Model(machine, std::shared_ptr<const model::CostModel>(*std::move(made)));
}

std::string model_names() { return std::string(model::model_names()); }

}  // namespace espalier
