#pragma once

#include <map>

#include "group/construction.hpp"
#include "model/cost_model.hpp"

namespace espalier::group {

/// The baseline: what MPI_Comm_split does. Everybody learns everybody's colour (Bruck's allgather,
/// in ceil(log2 n) rounds) and sorts. Messages n log n, memory and largest message O(n). World
/// only.
class AllgatherSort : public Construction {
 public:
  AllgatherSort(Tag tag, const GroupView& parent, const ConstructionOptions& options);

  void enter(Colour colour, Endpoint& endpoint) override;
  void receive(const Message& message, Endpoint& endpoint) override;
  [[nodiscard]] bool done() const override { return done_; }
  [[nodiscard]] GroupView view() const override { return view_; }
  [[nodiscard]] std::size_t bytes() const override;

 private:
  void advance(Endpoint& endpoint);
  void send_round(Endpoint& endpoint);
  void sort(Id self);

  const GroupView& parent_;
  Tag tag_;
  std::uint32_t round_ = 0;
  bool done_ = false;
  Words colours_;  // colours of this process and of those after it, as far as known
  std::map<std::uint32_t, Words> early_;  // messages of later rounds
  GroupView view_;
};

/// The time of its allgather without a simulation, which would need n^2 words: all processes do the
/// same at the same time. Exact where all pairs of processes cost alike.
[[nodiscard]] Time allgather_time(Rank processes, const model::CostModel& model);
/// The same for a ring of n - 1 steps, as MPI libraries use for long data.
[[nodiscard]] Time ring_allgather_time(Rank processes, const model::CostModel& model);

}  // namespace espalier::group
