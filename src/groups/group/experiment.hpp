#pragma once

#include <functional>
#include <vector>

#include "group/construction.hpp"
#include "group/simulation.hpp"

namespace espalier::group {

/// Messages of an application during the construction: spread evenly over a time, to random
/// processes.
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
  /// Probability that a process becomes a member, in millionths.
  std::uint64_t millionths = 1'000'000;
  Colour colours = 1;        ///< members draw one of this many colours
  std::uint32_t groups = 1;  ///< number of constructions at the same time
  std::uint64_t seed = 1;    ///< equal seeds give equal groups under every scheme
  OtherTraffic traffic;
  Time work_per_word;  ///< extra time that a receiver spends on each word of a message
  /// Where a process lies, for AlongTopology and for counting edges; none: all in one cluster.
  std::function<Words(Id)> path_of = nullptr;
};

/// Bytes that one process holds for one construction, without the network's buffers.
struct Memory {
  std::size_t peak = 0;       ///< most that any process ever held, with the message at hand
  double mean_peak = 0;       ///< peak, averaged over the processes
  std::size_t remaining = 0;  ///< most that any process keeps in the end: its GroupView
};

struct Measurement {
  Rank members = 0;
  std::uint32_t levels = 0;  ///< height of the new tree in levels
  Time finish;               ///< time with the broadcast before and the reduction after
  Time made;                 ///< when the last process was done with the construction
  Traffic traffic;           ///< messages of the construction alone
  Memory memory;
  /// Time of a broadcast of 8 bytes on the new tree; the slowest of several groups.
  Time broadcast;
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
/// All messages of a construction.
[[nodiscard]] std::uint64_t messages(const Traffic& traffic);

}  // namespace espalier::group
