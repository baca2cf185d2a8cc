#pragma once

#include <string>
#include <vector>

#include "base/expected.hpp"
#include "measure/summary.hpp"
#include "schedule/collective.hpp"

namespace espalier::measure {

/// A call that is measured.
struct MeasuredCall {
  schedule::Operation operation = schedule::Operation::Barrier;
  Bytes size;
  Rank root = 0;

  friend bool operator==(const MeasuredCall&, const MeasuredCall&) = default;
};

/// "broadcast:8:0", as bench/mpi/measure.cpp takes it.
[[nodiscard]] std::string argument_of(const MeasuredCall& call);

/// What one stack of software needed for a call.
struct Measured {
  MeasuredCall call;
  std::uint64_t wrong = 0;  ///< results that were not what they have to be, over ranks and repeats
  double first_us = 0;      ///< the first call: connecting, planning
  std::vector<double> times_us;
  Summary summary;
};

/// The lines of bench/mpi/measure.cpp among whatever else was printed, in their order. Refuses
/// lines that are cut off, and other calls than those asked for.
Expected<std::vector<Measured>> read_measured(const std::string& text,
                                              const std::vector<MeasuredCall>& asked);

/// Every operation with every size, and those that have a root with every root; a barrier once.
[[nodiscard]] std::vector<MeasuredCall> all_calls(
    const std::vector<schedule::Operation>& operations, const std::vector<Bytes>& sizes,
    const std::vector<Rank>& roots);
[[nodiscard]] bool has_root(schedule::Operation operation);

}  // namespace espalier::measure
