#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "cases.hpp"

namespace measure {

using Step = std::function<void()>;

/// One call that is to be timed: `prepare` before its time begins, `check` after it.
struct Timed {
  Step prepare;
  Step call;
  Step check;
  int root = 0;  ///< rank of MPI_COMM_WORLD
};

/// For ranks that share a clock, as hosts of a lab do: all start a call at one moment, and its time
/// goes from that moment to the end of the last rank. A call that some rank was late for is done
/// again, with more time to hear of it.
class SharedClock {
 public:
  SharedClock();
  /// The time of one call in nanoseconds, the same on all ranks.
  std::int64_t time(const Timed& timed);
  /// Times `count` calls. The ranks agree on the start of every call before the first one: to agree
  /// between calls would take longer than the calls over a wide-area network.
  /// @param slot time between two starts; 0 means that warm-up calls find it. It is longer on
  /// return
  ///        if it was too short.
  std::vector<std::int64_t> times(int count, const std::function<Timed(int)>& nth,
                                  std::int64_t& slot);

 private:
  std::int64_t slot_for(int count, const std::function<Timed(int)>& nth);
  std::int64_t margin_ = 0;
};

/// For ranks without a common clock, operations that end with what the root sent: one receiver at a
/// time acknowledges, and the root's clock, less half a round trip to that receiver, tells when it
/// had all. The call's time is that of the latest receiver, so it takes as many calls as there are
/// receivers.
///
/// M. Banikazemi, V. Moorthy, D. Panda: "Efficient collective communication on heterogeneous
/// networks of workstations", ICPP 1998, section 7.1.2, which takes the least of its repetitions;
/// B. de Supinski, N. Karonis: "Accurately measuring MPI broadcasts in a computational grid", HPDC
/// 1999. (karonis2000 has a barrier of sends behind each broadcast instead: its Figure 6.) Where
/// sending costs the two ends differently, half a round trip is not the way back: the error is half
/// the difference.
class Acknowledged {
 public:
  /// @param members ranks of MPI_COMM_WORLD, the root among them
  std::int64_t time(const Timed& timed, const std::vector<int>& members);

 private:
  std::int64_t half_round_trip(int root, int receiver);
  std::map<std::pair<int, int>, std::int64_t> known_;
};

[[nodiscard]] std::int64_t now_ns();
[[nodiscard]] int world_rank();
[[nodiscard]] int world_size();

}  // namespace measure
