#pragma once

#include <span>
#include <vector>

#include "collective/folded_tree.hpp"
#include "cost/fan_times.hpp"
#include "cost/predict_tree.hpp"

namespace espalier::collective {

/// Times along a folded tree: the same as of cost::TreePrediction and cost/bundles.hpp along the
/// whole tree, each kind of rank worked out once.
///
/// Up a tree all ranks of a kind have the same time. Down a tree they differ in when the message
/// comes to them. Later in means later out, so only the latest are followed: those that no other
/// of their kind is behind in everything.
class FoldedTimes {
 public:
  /// A message over an edge: `count` of `bytes` each.
  struct Load {
    double bytes = 0;
    double count = 1;
  };

  /// @param segments bytes a message on each level; 0: whole
  FoldedTimes(const FoldedMachine& machine, const FoldedTree& tree, double bytes,
              std::span<const double> segments);

  [[nodiscard]] bool pipelined() const { return fans_.pipelined(); }
  /// @param streams by rank of the folded machine; those of the roots are filled in
  void reduce(std::vector<cost::Stream>& streams);
  /// @param streams those of the roots are given @return when the last rank has all
  [[nodiscard]] cost::Picos broadcast(std::span<const cost::Stream> streams);
  /// When the busiest link is done, after reduce() or broadcast().
  [[nodiscard]] cost::Picos busiest_link(bool upwards);
  /// How much longer the busiest link or processor is busy with both directions, and with `across`,
  /// than with the busiest of them alone.
  [[nodiscard]] cost::Picos busy_with_both(const cost::Loads* across);

  /// When each root has the blocks of its tree, or the last rank its block; and the busiest link.
  [[nodiscard]] cost::Picos gather(double block, std::vector<cost::Picos>* ready = nullptr);
  [[nodiscard]] cost::Picos scatter(double block);

  /// When the last rank has all bundles that the roots send down their trees, each as it comes:
  /// cost::bundles_down_time().
  /// @param roots those of the tree, in the order of `here`
  /// @param sizes bytes of each bundle
  /// @param here when each root has each bundle
  [[nodiscard]] cost::Picos bundles_down(std::span<const FoldedTree::Root> roots,
                                         std::span<const double> sizes,
                                         std::span<const std::vector<cost::Picos>> here);
  /// When the busiest link of an allgather is done: blocks up, all of them down, and what goes
  /// across between the roots.
  [[nodiscard]] cost::Picos busiest_of_allgather(double block, double all,
                                                 const cost::Loads& across);

 private:
  /// When a message comes to ranks of a kind.
  struct Arrival {
    cost::Stream stream;
    cost::Picos besides = 0;  // what its message takes, but for the bytes of others on its links
  };
  /// What a rank's own links and its processor have to do.
  struct OnLink {
    sim::ResourceId link = sim::kNoResource;
    cost::Picos busy = 0;
    cost::Picos first = 0;
  };
  struct Busy {
    std::vector<OnLink> links;
    cost::Picos processor = 0;
  };
  using Kind = FoldedTree::Kind;
  /// When each bundle comes to a rank.
  using Bundles = std::vector<cost::Picos>;

  void arrive(std::vector<Arrival>& here, const Arrival& arrival);
  void find_routes(const Kind& kind, bool upwards);
  void count(const Kind& kind, bool upwards);
  void count_pipeline(const Kind& kind, bool upwards);
  [[nodiscard]] cost::Fan fan_of(const Kind& kind) const;
  [[nodiscard]] bool is_own(sim::ResourceId link, Rank rank, Rank other) const;
  [[nodiscard]] Load segments_on(std::uint32_t level) const;
  /// @param start when each child or the rank itself begins @param own the message to the parent
  template <typename LoadOf, typename Start>
  Busy busy(const Kind& kind, bool upwards, LoadOf load_of, const Load& own, cost::Picos besides,
            Start start);
  template <typename LoadOf, typename Start>
  [[nodiscard]] cost::Picos busiest_shared(bool upwards, LoadOf load_of, Start start);
  [[nodiscard]] bool is_shared(sim::ResourceId link) const;
  template <typename LoadOf, typename Start>
  [[nodiscard]] OnLink on_backbone(bool upwards, LoadOf load_of, Start start);
  [[nodiscard]] cost::Picos busiest(const Busy& busy) const;
  static void arrive(std::vector<Bundles>& here, Bundles arrival);
  void send_down(const Kind& kind, const Bundles& here, std::span<const double> sizes,
                 std::vector<Bundles>& out);
  [[nodiscard]] std::vector<sim::ResourceId> own_links(Rank root) const;

  const FoldedMachine& machine_;
  const cost::CostView& cost_view_;
  const FoldedTree& tree_;
  double bytes_;
  cost::FanTimes fans_;
  cost::FlowSharing sharing_;
  cost::Crossings crossings_;
  cost::Routes routes_;  // of the fan at hand, in the direction of its messages
  sim::Route route_;
  std::vector<cost::Stream> up_;               // [kind]
  std::vector<std::vector<Arrival>> arrived_;  // [kind]
};

}  // namespace espalier::collective
