#pragma once

#include "group/construction.hpp"
#include "group/id_exchange.hpp"

namespace espalier::group {

/// One more tree over a whole group, with another root: the third way of the paper's section 2.
///
/// The ranks are known, so only Rank-and-Hash's exchange of ids is needed: about 4 m messages, each
/// along a route of the group. The new ranks are the old ones, counted from the root.
class Rerooted : public Construction {
 public:
  Rerooted(Tag tag, const GroupView& parent, Rank root, const ConstructionOptions& options)
      : exchange_(tag, parent, options.degree, options.routable), parent_(parent), root_(root) {
    exchange_.set_total(parent.size);
  }

  void enter(Colour, Endpoint& endpoint) override {
    const Rank rank = (parent_.rank + (parent_.size - root_)) % parent_.size;
    entered_ = true;
    exchange_.announce(rank, {parent_.size, 0}, endpoint);
  }
  void receive(const Message& message, Endpoint& endpoint) override {
    (void)exchange_.receive(message, endpoint);
  }
  [[nodiscard]] bool done() const override { return entered_ && exchange_.done(); }
  [[nodiscard]] GroupView view() const override { return exchange_.view(); }
  [[nodiscard]] std::size_t bytes() const override {
    return sizeof(*this) + exchange_.bytes_on_heap();
  }

 private:
  IdExchange exchange_;
  const GroupView& parent_;
  Rank root_;
  bool entered_ = false;
};

}  // namespace espalier::group
