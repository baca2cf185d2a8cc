#pragma once

#include <functional>
#include <vector>

#include "group/construction.hpp"
#include "group/simulation.hpp"

namespace espalier::group {

/// Messages of an application that go on meanwhile: evenly spread over a time, to random processes.
struct OtherTraffic {
  std::uint32_t per_process = 0;
  Time during;
  Bytes size{1024};
};

/// Groups made from the world, measured as in the paper: from the beginning of a broadcast on the
/// old tree, whose arrival lets each process enter, to the end of a reduction on the new tree.
struct Experiment {
  Rank processes = 1;
  Rank degree = 3;
  std::uint64_t millionths = 1'000'000;  ///< of the processes become members, drawn one by one
  Colour colours = 1;                    ///< among the members, drawn too
  std::uint32_t groups = 1;              ///< as many constructions at once
  std::uint64_t seed = 1;                ///< the same groups for every scheme
  OtherTraffic traffic;
  Time work_per_word;  ///< that a receiver spends on each word of a message, besides receiving it
  /// Where a process lies, for AlongTopology and for counting edges; none: all in one cluster.
  std::function<Words(Id)> path_of = nullptr;
};

/// In bytes, of one process, everything it holds for one construction but the network's buffers.
struct Memory {
  std::size_t peak = 0;       ///< the most that any process ever had, with the message at hand
  double mean_peak = 0;       ///< over the processes
  std::size_t remaining = 0;  ///< the most that any process keeps: its GroupView
};

struct Measurement {
  Rank members = 0;
  std::uint32_t levels = 0;  ///< of the new tree
  Time finish;               ///< bracketed
  Time made;                 ///< when the last process was done with the construction
  Traffic traffic;           ///< without the brackets
  Memory memory;
  Time broadcast;  ///< of 8 bytes on the new tree, by itself; the slowest of several groups
  /// The new trees' edges between different clusters, by level, the outermost first; those inside
  /// an innermost one are not counted.
  std::vector<std::uint64_t> crossings;
};

/// The colour that a process draws.
[[nodiscard]] Colour drawn_colour(const Experiment& experiment, std::uint32_t group, Id process);

/// @pre model.size() == experiment.processes; the scheme takes colours, or there is one
[[nodiscard]] Measurement measure(Scheme scheme, const Experiment& experiment,
                                  const model::CostModel& model);

/// Messages of a construction as the paper counts them: without the notes into sub-trees without
/// members that Rank-and-Hash needs to end, and the list of Centralized.
[[nodiscard]] std::uint64_t messages_as_in_paper(const Traffic& traffic);
/// All of them.
[[nodiscard]] std::uint64_t messages(const Traffic& traffic);

}  // namespace espalier::group
