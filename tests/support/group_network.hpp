#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "group/construction.hpp"
#include "group/endpoint.hpp"

namespace espalier::testing_support {

/// A network without any order: whatever is under way may come next. Tests of the protocols.
class AnyOrderNetwork {
 public:
  using Receive = std::function<void(const group::Message&, group::Endpoint&)>;

  explicit AnyOrderNetwork(std::uint64_t seed) : random_(seed) {}

  /// Something that a process does by itself, sooner or later.
  void later(group::Id who, std::function<void(group::Endpoint&)> what) {
    parcels_.push_back({who, {}, std::move(what), false});
  }
  /// Message number `number` (by sending) comes only when nothing else is left.
  void delay(std::size_t number) { delayed_ = number; }
  /// Without shuffling: first sent, first delivered.
  void in_order() { shuffles_ = false; }

  void run(const Receive& receive) {
    while (!parcels_.empty()) {
      const Parcel parcel = take();
      Port port(*this, parcel.to);
      if (parcel.what) {
        parcel.what(port);
      } else {
        receive(parcel.message, port);
      }
    }
  }
  [[nodiscard]] std::size_t sent() const { return sent_; }

 private:
  struct Parcel {
    group::Id to = group::kNobody;
    group::Message message;
    std::function<void(group::Endpoint&)> what;
    bool delayed = false;
  };
  class Port : public group::Endpoint {
   public:
    Port(AnyOrderNetwork& owner, group::Id self) : owner_(owner), self_(self) {}
    [[nodiscard]] group::Id self() const override { return self_; }
    void send(group::Id to, group::Message message) override {
      message.from = self_;
      const bool delayed = owner_.delayed_ == owner_.sent_++;
      owner_.parcels_.push_back({to, std::move(message), nullptr, delayed});
    }

   private:
    AnyOrderNetwork& owner_;
    group::Id self_;
  };

  Parcel take() {
    std::size_t pick = shuffles_ ? random_.below(parcels_.size()) : 0;
    if (parcels_[pick].delayed && parcels_.size() > 1) pick = (pick + 1) % parcels_.size();
    Parcel parcel = std::move(parcels_[pick]);
    if (shuffles_) {
      parcels_[pick] = std::move(parcels_.back());
      parcels_.pop_back();
    } else {
      parcels_.erase(parcels_.begin() + static_cast<std::ptrdiff_t>(pick));
    }
    return parcel;
  }

  Random random_;
  std::deque<Parcel> parcels_;
  std::optional<std::size_t> delayed_;
  std::size_t sent_ = 0;
  bool shuffles_ = true;
};

/// Checks the trees of one new group as an outsider: every member once, ranks 0 .. m-1, parents and
/// children agree, no vertex has too many children, ranks lie as the numbering says.
/// @param views of those who are in the group, by id
/// @return what is wrong, or nothing
inline std::string check_group(const std::map<group::Id, group::GroupView>& views, Rank degree,
                               std::uint32_t most_levels) {
  const auto size = static_cast<Rank>(views.size());
  std::map<Rank, group::Id> by_rank;
  for (const auto& [id, view] : views) {
    const std::string who = "process " + std::to_string(id) + ": ";
    if (view.size != size) return who + "size is " + std::to_string(view.size);
    if (!by_rank.emplace(view.rank, id).second || view.rank >= size) {
      return who + "rank " + std::to_string(view.rank) + " is wrong or taken";
    }
    if (view.children.size() > degree) return who + "too many children";
    if ((view.parent == group::kNobody) != (view.depth == 0)) return who + "depth";
    for (const group::Id child : view.children) {
      const auto it = views.find(child);
      if (it == views.end()) return who + "child " + std::to_string(child) + " is no member";
      if (it->second.parent != id) return who + "child has another parent";
      if (it->second.depth != view.depth + 1) return who + "child's depth";
    }
    if (view.depth >= most_levels) return who + "too deep";
  }
  // One root, every other one its parent's child, depths grow: a tree that spans all.
  Rank edges = 0, roots = 0;
  for (const auto& [id, view] : views) {
    edges += view.children.size();
    roots += view.parent == group::kNobody ? 1 : 0;
    for (std::uint32_t c = 0; c < view.children.size(); ++c) {
      for (std::uint32_t d = 0; d < c; ++d) {
        if (view.children[c] == view.children[d]) return "a child twice";
      }
    }
    for (std::uint32_t c = 0; c < view.children.size(); ++c) {
      const Rank child = views.at(view.children[c]).rank;
      if (view.numbering == group::Numbering::Heap && child != view.rank * degree + 1 + c) {
        return "ranks are not breadth-first";
      }
    }
  }
  if (size > 0 && (roots != 1 || edges != size - 1)) return "it is no tree";
  return "";
}

/// Sends a note from every member to every rank along next_hop(). @return what is wrong, or nothing
inline std::string check_routes(const std::map<group::Id, group::GroupView>& views) {
  for (const auto& [from, view] : views) {
    for (const auto& [to, other] : views) {
      group::Id at = from;
      for (std::size_t hops = 0; at != to; ++hops) {
        if (hops > 2 * views.size()) return "no way from " + std::to_string(from);
        at = next_hop(views.at(at), at, other.rank);
      }
    }
  }
  return "";
}

/// All processes of a group taking part in one construction.
class GroupRun {
 public:
  GroupRun(group::Scheme scheme, const std::map<group::Id, group::GroupView>& parents,
           group::ConstructionOptions options, group::Tag tag = 1,
           const std::function<group::Words(group::Id)>& path_of = nullptr)
      : parents_(parents) {
    for (const auto& [id, view] : parents_) {
      if (path_of) options.path = path_of(id);
      parts_[id] = group::make_construction(scheme, tag, view, options);
    }
  }
  void enter(AnyOrderNetwork& network, const std::function<group::Colour(group::Id)>& colour_of) {
    for (const auto& [id, part] : parts_) {
      network.later(id, [this, id = id, colour = colour_of(id)](group::Endpoint& endpoint) {
        parts_[id]->enter(colour, endpoint);
      });
    }
  }
  void receive(const group::Message& message, group::Endpoint& endpoint) {
    ASSERT_TRUE(parts_.contains(endpoint.self())) << "a process outside the parent group is used";
    const auto inside = message.kind == group::Kind::Relay
                            ? take_relay(parents_.at(endpoint.self()), message, endpoint)
                            : std::optional(message);
    // Who is done hears nothing more, and may be gone.
    if (inside) {
      ASSERT_FALSE(parts_[endpoint.self()]->done()) << "a message came to one that was done";
      parts_[endpoint.self()]->receive(*inside, endpoint);
    }
  }
  /// @return the id of one that is not done, if there is one
  [[nodiscard]] std::optional<group::Id> not_done() const {
    for (const auto& [id, part] : parts_) {
      if (!part->done()) return id;
    }
    return std::nullopt;
  }
  /// Those of a colour. @pre all are done
  [[nodiscard]] std::map<group::Id, group::GroupView> views(
      group::Colour colour, const std::function<group::Colour(group::Id)>& colour_of) const {
    std::map<group::Id, group::GroupView> views;
    for (const auto& [id, part] : parts_) {
      if (colour_of(id) == colour) {
        views[id] = part->view();
      } else if (colour_of(id) == group::kNoColour) {
        EXPECT_FALSE(part->view().member());
      }
    }
    return views;
  }
  [[nodiscard]] std::size_t bytes(group::Id id) const { return parts_.at(id)->bytes(); }

 private:
  std::map<group::Id, group::GroupView> parents_;
  std::map<group::Id, std::unique_ptr<group::Construction>> parts_;
};

inline std::map<group::Id, group::GroupView> world(Rank size, Rank degree) {
  std::map<group::Id, group::GroupView> views;
  for (group::Id id = 0; id < size; ++id) views[id] = group::world_view(id, size, degree);
  return views;
}

}  // namespace espalier::testing_support
