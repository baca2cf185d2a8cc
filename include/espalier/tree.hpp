#pragma once

// Communication trees as values: one algorithm of many, each named as in its paper
// (docs/algorithms.md), and when everybody has the message.
//
//   auto tree = espalier::build_tree(*model, "fnf", {.root = 0, .size = espalier::Bytes{1024}});
//   espalier::broadcast_time(*tree, *model, espalier::Bytes{1024});

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/model.hpp"

namespace espalier {

struct TreeAlgorithm {
  std::string name;    ///< "fnf"
  std::string title;   ///< "fastest node first"
  std::string source;  ///< the paper, in one line
};
/// All algorithms, in the order of docs/algorithms.md.
[[nodiscard, gnu::visibility("default")]] std::vector<TreeAlgorithm> tree_algorithms();

/// Who sends to whom, in which order. Holds the root and any of the other ranks (a multicast).
struct Tree {
  std::string algorithm;
  Rank root = 0;
  std::vector<Rank> parent;  ///< each rank's parent; the root's is itself; kNoRank: not in the tree
  std::vector<std::vector<Rank>> children;  ///< each rank's children, in the order of sending
  friend bool operator==(const Tree&, const Tree&) = default;
};

struct TreeRequest {
  Rank root = 0;
  std::vector<Rank> to = {};  ///< receivers, without the root; empty: all ranks
  Bytes size{1024};
  Rank arity = 2;  ///< k of k-ary and k-nomial trees; ignored by others
};

/// An error where there is no such algorithm, it refuses the model or so many ranks, or ranks are
/// not of the machine or stand there twice.
[[nodiscard, gnu::visibility("default")]] Expected<Tree> build_tree(const Model& model,
                                                                    std::string_view algorithm,
                                                                    const TreeRequest& request);

/// When each rank has the message that the root holds at time 0, if every rank sends to its
/// children in their order as soon as it can; kForever outside the tree.
/// @pre tree is one of the model's machine: each child has its parent, all hang below the root
[[nodiscard, gnu::visibility("default")]] std::vector<Time> broadcast_times(const Tree& tree,
                                                                            const Model& model,
                                                                            Bytes size);
/// The last of them.
[[nodiscard, gnu::visibility("default")]] Time broadcast_time(const Tree& tree, const Model& model,
                                                              Bytes size);

/// One of several multicasts that are under way at the same time.
struct Multicast {
  Rank root = 0;
  std::vector<Rank> to;  ///< the root may be listed and is passed over
  friend bool operator==(const Multicast&, const Multicast&) = default;
};

/// Trees for all of them together: a busy process is busy for all of them.
struct MulticastTrees {
  std::vector<Tree> trees;   ///< one tree for each multicast
  std::vector<Time> finish;  ///< when each multicast is over
  bool joint = true;         ///< trees were built together; else one by one was better, or as good
  Time joint_time;           ///< when the last is over, with trees built together
  Time separate_time;        ///< when the last is over, with trees built one by one
};

/// Never worse than trees that are built one by one (with `algorithm`) and run at the same time.
/// All messages are `size` bytes. Errors as of build_tree().
[[nodiscard, gnu::visibility("default")]] Expected<MulticastTrees> multicast_trees(
    const Model& model, std::span<const Multicast> multicasts, Bytes size,
    std::string_view algorithm = "ecef");

}  // namespace espalier
