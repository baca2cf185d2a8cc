#include "tree/postal_optimal.hpp"

#include <functional>
#include <queue>
#include <vector>

#include "base/contract.hpp"

namespace espalier::tree {
namespace {

struct PostalSender {
  Time free_at;
  Rank position;
  friend auto operator<=>(const PostalSender&, const PostalSender&) = default;
};

}  // namespace

// A. Bar-Noy, S. Kipnis: "Designing broadcasting algorithms in the postal model for message-passing
// systems", SPAA 1992, where it is Algorithm BCAST for one message. There lambda is a number and
// the tree comes out of a recurrence; ours fills the earliest slot instead, which informs as many
// ranks by any moment and needs no fractions.
CommTree postal_optimal(const Participants& who, const PostalCosts& costs) {
  expects(Time{0} <= costs.sender_busy && costs.sender_busy <= costs.delivered,
          "postal_optimal: a message is delivered before its sender is done with it");
  CommTree tree(who.machine_size, who.root);
  std::priority_queue<PostalSender, std::vector<PostalSender>, std::greater<>> senders;
  senders.push({Time{0}, 0});
  for (Rank next = 1; next < who.count(); ++next) {
    const auto [now, sender] = senders.top();
    senders.pop();
    tree.append_child(who.at(sender), who.at(next));
    senders.push({now + costs.sender_busy, sender});
    senders.push({now + costs.delivered, next});
  }
  return tree;
}

}  // namespace espalier::tree
