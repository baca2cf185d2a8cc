#pragma once

// Collectives for MPI programs, on ranges of elements, and what becomes of each call.
//
//   espalier::mpi::Communicator world(MPI_COMM_WORLD);
//   world.broadcast(parameters, 0);
//   world.allreduce(mine, all, MPI_SUM);
//   world.multicast(tile, 2, {3, 5, 7});
//   world.plan_of({.operation = espalier::Operation::Broadcast, .count = 1 << 20}).name;
//
// Link with libespalier in front of MPI (espalier::mpich, espalier::openmpi), or
// preload it: then calls run along plans where these gain (docs/runtime.md). Without the library
// all of it works, as MPI does it.
//
// Rules, as MPI's: a call is made by all ranks of the communicator, in the same order. Every call
// returns MPI's code; under MPI's usual error handler no other than MPI_SUCCESS comes back. Data
// are contiguous ranges of trivially copyable elements, up to INT_MAX of them; in and out are of
// one type and do not overlap. Ranges and counts that do not fit give MPI_ERR_COUNT, through the
// communicator's error handler, on the rank that has them.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/call.hpp"
#include "espalier/multicast.hpp"
#include "espalier/ranges.hpp"
#include "espalier/runtime_calls.h"
#include "espalier/topology.hpp"

namespace espalier::mpi {
inline namespace api {

/// What becomes of a call, as far as that is known before it is made.
struct CallPlan {
  bool planned = false;
  std::string name = "native";  ///< name of the plan; "native" means the MPI library's own call
  std::string why = "no library";
  std::optional<Time> predicted = {};
  std::optional<Time> native_predicted = {};
};

class Communicator {
 public:
  /// The communicator stays the caller's.
  explicit Communicator(MPI_Comm comm) : comm_(comm) { look(); }
  /// Collective if it was made by split(), or a multicast ran without a plan; before MPI_Finalize.
  ~Communicator() { release(); }
  Communicator(Communicator&& other) noexcept { *this = std::move(other); }
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(comm_, other.comm_);
    std::swap(lane_, other.lane_);
    std::swap(is_mine_, other.is_mine_);
    std::swap(rank_, other.rank_);
    std::swap(size_, other.size_);
    return *this;
  }

  [[nodiscard]] MPI_Comm handle() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  /// Whether there is one: not after split(MPI_UNDEFINED).
  explicit operator bool() const { return comm_ != MPI_COMM_NULL; }

  /// One communicator for each colour, ranks by key, then by rank here. MPI_UNDEFINED: none.
  [[nodiscard]] Communicator split(int colour, int key = 0) const {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(comm_, colour, key, &made);
    Communicator result(made);
    result.is_mine_ = made != MPI_COMM_NULL;
    return result;
  }
  /// One for each cluster of a level (topology.hpp), ranks in their order: level 1 of a grid are
  /// its sites. None for those that have no such level.
  [[nodiscard]] Communicator cluster(int level) const {
    const auto colours = topology().colours[static_cast<std::size_t>(rank_)];
    const bool has_it = level >= 0 && level < static_cast<int>(colours.size());
    return split(has_it ? colours[static_cast<std::size_t>(level)] : MPI_UNDEFINED);
  }
  /// Local.
  [[nodiscard]] Topology topology() const { return topology_of(comm_); }

  /// Whether calls here may be planned; that is so from the beginning. Collective: `false` on one
  /// rank is for all.
  int use_plans(bool yes) const { return espalier_use_plans(comm_, yes ? 1 : 0); }

  /// Nobody leaves before all have come.
  int barrier() const { return MPI_Barrier(comm_); }

  /// The root's data to all; equally long on all.
  template <Data Range>
  int broadcast(Range&& data, int root) const {
    return call<Range>({count_of(data)}, [&](MPI_Datatype type) {
      return MPI_Bcast(std::ranges::data(data), count_of(data), type, root, comm_);
    });
  }
  /// Only the root's `out` is written; elsewhere it may be empty.
  template <Numbers In, Numbers Out>
  int reduce(const In& in, Out&& out, MPI_Op op, int root) const {
    const int count = rank_ == root ? common_count(in, out) : count_of(in);
    return call<In>({count}, [&](MPI_Datatype type) {
      return MPI_Reduce(std::ranges::data(in), std::ranges::data(out), count, type, op, root,
                        comm_);
    });
  }
  /// Equally long, on all ranks.
  template <Numbers In, Numbers Out>
  int allreduce(const In& in, Out&& out, MPI_Op op) const {
    return call<In>({common_count(in, out)}, [&](MPI_Datatype type) {
      return MPI_Allreduce(std::ranges::data(in), std::ranges::data(out), count_of(in), type, op,
                           comm_);
    });
  }
  /// The same in place.
  template <Numbers Range>
  int allreduce(Range&& data, MPI_Op op) const {
    return call<Range>({count_of(data)}, [&](MPI_Datatype type) {
      return MPI_Allreduce(MPI_IN_PLACE, std::ranges::data(data), count_of(data), type, op, comm_);
    });
  }
  /// Rank r gets block r of the result, as long as its `out`: the same on all.
  template <Numbers In, Numbers Out>
  requires SameElements<In, Out>
  int reduce_scatter(const In& in, Out&& out, MPI_Op op) const {
    const int count = count_of_block(in, size_) == count_of(out) ? count_of(out) : kNoCount;
    return call<In>({count}, [&](MPI_Datatype type) {
      return MPI_Reduce_scatter_block(std::ranges::data(in), std::ranges::data(out), count, type,
                                      op, comm_);
    });
  }
  /// Blocks of `counts`, the same on all ranks.
  template <Numbers In, Numbers Out>
  requires SameElements<In, Out>
  int reduce_scatter(const In& in, Out&& out, std::span<const int> counts, MPI_Op op) const {
    return call<In>({fits_all({counts}, in, size_), fits_one(counts, rank_, out)},
                    [&](MPI_Datatype type) {
                      return MPI_Reduce_scatter(std::ranges::data(in), std::ranges::data(out),
                                                counts.data(), type, op, comm_);
                    });
  }
  /// The result combines ranks 0 to this one.
  template <Numbers In, Numbers Out>
  int scan(const In& in, Out&& out, MPI_Op op) const {
    return call<In>({common_count(in, out)}, [&](MPI_Datatype type) {
      return MPI_Scan(std::ranges::data(in), std::ranges::data(out), count_of(in), type, op, comm_);
    });
  }
  /// The result combines ranks 0 to the one before; rank 0's `out` is not written.
  template <Numbers In, Numbers Out>
  int exscan(const In& in, Out&& out, MPI_Op op) const {
    return call<In>({common_count(in, out)}, [&](MPI_Datatype type) {
      return MPI_Exscan(std::ranges::data(in), std::ranges::data(out), count_of(in), type, op,
                        comm_);
    });
  }

  /// `out` has size() blocks at the root, and may be of any length elsewhere.
  template <Data In, Data Out>
  requires SameElements<In, Out>
  int gather(const In& in, Out&& out, int root) const {
    const int block = rank_ == root ? alike(count_of_block(out, size_), count_of(in)) : 0;
    return call<In>({count_of(in), block}, [&](MPI_Datatype type) {
      return MPI_Gather(std::ranges::data(in), count_of(in), type, std::ranges::data(out), block,
                        type, root, comm_);
    });
  }
  /// `in` has size() blocks at the root, and may be of any length elsewhere.
  template <Data In, Data Out>
  requires SameElements<In, Out>
  int scatter(const In& in, Out&& out, int root) const {
    const int block = rank_ == root ? alike(count_of_block(in, size_), count_of(out)) : 0;
    return call<Out>({block, count_of(out)}, [&](MPI_Datatype type) {
      return MPI_Scatter(std::ranges::data(in), block, type, std::ranges::data(out), count_of(out),
                         type, root, comm_);
    });
  }
  /// `out` has size() blocks, each as long as every rank's `in`.
  template <Data In, Data Out>
  requires SameElements<In, Out>
  int allgather(const In& in, Out&& out) const {
    return call<In>({alike(count_of(in), count_of_block(out, size_))}, [&](MPI_Datatype type) {
      return MPI_Allgather(std::ranges::data(in), count_of(in), type, std::ranges::data(out),
                           count_of_block(out, size_), type, comm_);
    });
  }
  /// Both have size() equal blocks: block r goes to rank r, and comes from there.
  template <Data In, Data Out>
  requires SameElements<In, Out>
  int alltoall(const In& in, Out&& out) const {
    return call<In>(
        {alike(count_of_block(in, size_), count_of_block(out, size_))}, [&](MPI_Datatype type) {
          return MPI_Alltoall(std::ranges::data(in), count_of_block(in, size_), type,
                              std::ranges::data(out), count_of_block(out, size_), type, comm_);
        });
  }

  /// Each rank gives as much as its `in`; the root says how much from whom, and where it goes.
  template <Data In, Data Out>
  requires SameElements<In, Out>
  int gatherv(const In& in, Out&& out, Blocks blocks, int root) const {
    const BlockStarts starts(blocks);
    const int fits = rank_ == root ? fits_all(blocks, out, size_) : 0;
    return call<In>({count_of(in), fits}, [&](MPI_Datatype type) {
      return MPI_Gatherv(std::ranges::data(in), count_of(in), type, std::ranges::data(out),
                         blocks.counts.data(), starts.get(), type, root, comm_);
    });
  }
  /// Each rank gets as much as its `out`; the root says how much to whom, and where it lies.
  template <Data In, Data Out>
  requires SameElements<In, Out>
  int scatterv(const In& in, Blocks blocks, Out&& out, int root) const {
    const BlockStarts starts(blocks);
    const int fits = rank_ == root ? fits_all(blocks, in, size_) : 0;
    return call<Out>({count_of(out), fits}, [&](MPI_Datatype type) {
      return MPI_Scatterv(std::ranges::data(in), blocks.counts.data(), starts.get(), type,
                          std::ranges::data(out), count_of(out), type, root, comm_);
    });
  }
  /// `blocks` are the same on all ranks.
  template <Data In, Data Out>
  requires SameElements<In, Out>
  int allgatherv(const In& in, Out&& out, Blocks blocks) const {
    const BlockStarts starts(blocks);
    return call<In>(
        {fits_one(blocks.counts, rank_, in), fits_all(blocks, out, size_)}, [&](MPI_Datatype type) {
          return MPI_Allgatherv(std::ranges::data(in), count_of(in), type, std::ranges::data(out),
                                blocks.counts.data(), starts.get(), type, comm_);
        });
  }
  /// Block r of `given` goes to rank r, block r of `taken` comes from there.
  template <Data In, Data Out>
  requires SameElements<In, Out>
  int alltoallv(const In& in, Blocks given, Out&& out, Blocks taken) const {
    const BlockStarts from(given), to(taken);
    return call<In>(
        {fits_all(given, in, size_), fits_all(taken, out, size_)}, [&](MPI_Datatype type) {
          return MPI_Alltoallv(std::ranges::data(in), given.counts.data(), from.get(), type,
                               std::ranges::data(out), taken.counts.data(), to.get(), type, comm_);
        });
  }
  /// MPI's form: a type for each block, displacements in bytes, which must be given.
  int alltoallw(const void* in, Blocks given, std::span<const MPI_Datatype> given_types, void* out,
                Blocks taken, std::span<const MPI_Datatype> taken_types) const {
    const bool fits = (in == MPI_IN_PLACE || fits_types(given, given_types, size_) == 0) &&
                      fits_types(taken, taken_types, size_) == 0;
    if (!fits) return refused(MPI_ERR_COUNT);
    return MPI_Alltoallw(in, given.counts.data(), given.displacements.data(), given_types.data(),
                         out, taken.counts.data(), taken.displacements.data(), taken_types.data(),
                         comm_);
  }

  /// The root's data to the ranks of the list, the same list on all ranks; data are as long there.
  /// All ranks of the communicator call it; others than these return at once.
  template <Data Range>
  int multicast(Range&& data, int root, std::vector<int> to) {
    const Multicast one = multicast_of(data, root, std::move(to));
    return multicasts({&one, 1});
  }
  /// Several at the same time, the same ranks and lengths in the same order on all ranks (a rank
  /// that is not in one gives its length all the same). Trees are planned together where that is
  /// predicted to be faster: a rank that is busy with one is busy for all. A rank may be in any
  /// number of them.
  int multicasts(std::span<const Multicast> several) {
    std::vector<Multicast> all(several.begin(), several.end());
    for (Multicast& one : all) {
      if (!put_in_order(one, size_)) return refused(MPI_ERR_RANK);
    }
    int code = MPI_SUCCESS;
    if (planned_multicasts(all, comm_, code)) return code;
    if (lane_ == MPI_COMM_NULL) code = MPI_Comm_dup(comm_, &lane_);
    for (std::size_t m = 0; m < all.size() && code == MPI_SUCCESS; ++m) {
      code = native_multicast(all[m], rank_, lane_);
    }
    return code;
  }

  /// Which plan such a call takes from here on, and why; or why it goes to the MPI library. Local.
  /// Counts and elements are those of Call: `count` is that of the message, or of each block.
  /// Before the machine is known (discover(), or the first call on all processes) no call is
  /// planned, and it says so. A trial may still change it (docs/runtime.md).
  [[nodiscard]] CallPlan plan_of(const Call& call) const {
    CallPlan plan;
    const auto ranks = static_cast<std::size_t>(size_);
    if (call.root >= ranks) {
      plan.why = "there is no such root";
      return plan;
    }
    const bool has_each = call.counts.size() == ranks;
    const espalier_call asked{static_cast<std::int32_t>(call.operation),
                              static_cast<std::int32_t>(call.root),
                              call.count,
                              call.element.value,
                              call.commutative ? 1 : 0,
                              call.counts.empty() ? 0 : 1,
                              has_each ? call.counts.data() : nullptr};
    espalier_call_plan answer{};
    const int handle = static_cast<int>(MPI_Comm_c2f(comm_));
    if (espalier_api_plan_of_ == nullptr ||
        espalier_api_plan_of_(handle, &asked, &answer) != ESPALIER_OK) {
      return plan;
    }
    const auto time = [](std::int64_t picoseconds) {
      return picoseconds < 0 ? std::nullopt : std::optional(Time{picoseconds});
    };
    return {answer.planned != 0, answer.name, answer.why, time(answer.predicted_ps),
            time(answer.native_ps)};
  }

 private:
  template <typename Range>
  using ValueOf = std::ranges::range_value_t<Range>;
  /// Goes on with the type of a range's elements, unless a count is none: not every MPI refuses
  /// those.
  template <typename Range, typename Go>
  int call(std::initializer_list<int> counts, Go go) const {
    for (const int count : counts) {
      if (count < 0) return refused(MPI_ERR_COUNT);
    }
    const Datatype<ValueOf<Range>> type;
    return go(type.get());
  }
  [[nodiscard]] int refused(int code) const {
    MPI_Comm_call_errhandler(comm_, code);
    return code;
  }

  void look() {
    if (comm_ == MPI_COMM_NULL) return;
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  void release() {
    int is_over = 0;
    MPI_Finalized(&is_over);
    if (is_over != 0) return;
    if (lane_ != MPI_COMM_NULL) MPI_Comm_free(&lane_);
    if (is_mine_) MPI_Comm_free(&comm_);
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm lane_ = MPI_COMM_NULL;  // carries multicasts without a plan; made when one is needed
  bool is_mine_ = false;
  int rank_ = -1;
  int size_ = 0;
};

}  // namespace api
}  // namespace espalier::mpi
