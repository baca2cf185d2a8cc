#include "mpi/roll_call.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text_hash.hpp"
#include "discover/own_sockets.hpp"
#include "mpi/environment.hpp"
#include "mpi/mpi_traits.hpp"

namespace espalier::mpi {
namespace {

std::uint64_t hash_of_version() {
  return TextHash{}.add(ESPALIER_VERSION).add(std::uint64_t{ESPALIER_ROLL_CALL_PROTOCOL}).value();
}

/// What others say of a process's place. MPICH 4.0.2 compares MPI_UINT64_T as if it had a sign, so
/// no place is larger than this.
constexpr std::uint64_t kNotHeard = ~std::uint64_t{0} >> 1U;

/// Where all processes run, by their ranks in MPI_COMM_WORLD.
template <typename Place>
std::vector<Place> gather_places(const Place& own_place, MPI_Comm over) {
  int size = 1, rank = 0;
  PMPI_Comm_size(over, &size);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  using Entry = std::array<std::uint64_t, 1 + std::tuple_size_v<Place>>;
  constexpr int kWords = static_cast<int>(std::tuple_size_v<Entry>);
  Entry own{static_cast<std::uint64_t>(rank)};
  std::copy(own_place.begin(), own_place.end(), own.begin() + 1);
  std::vector<Entry> all(static_cast<std::size_t>(size));
  PMPI_Allgather(own.data(), kWords, MPI_UINT64_T, all.data(), kWords, MPI_UINT64_T, over);
  std::vector<Place> places(all.size());
  for (const Entry& one : all) std::copy(one.begin() + 1, one.end(), places[one[0]].begin());
  return places;
}

/// A roll call that is under way without its object. MPI still reads and writes these numbers.
struct Left {
  std::vector<std::uint64_t> own, least;
  MPI_Request request = MPI_REQUEST_NULL;
};
Left& left() {
  static Left one;
  return one;
}

}  // namespace

RollCall::~RollCall() {
  if (request_ != MPI_REQUEST_NULL) left() = {std::move(own_), std::move(least_), request_};
}

void RollCall::finish_left() {
  if (!kIsSimulated) PMPI_Wait(&left().request, MPI_STATUS_IGNORE);
}

void RollCall::begin(const Presence& own) {
  own_ = {own.settings,
          ~own.settings,
          own.cannot_wait ? 1U : 0U,
          own.is_threaded ? 1U : 0U,
          own.is_threaded ? 0U : 1U,
          own.has_clusters ? 0U : 1U,
          own.is_unfit ? std::uint64_t{ESPALIER_UNFIT} : std::uint64_t{ESPALIER_FIT},
          own.defers ? 0U : 1U,
          hash_of_version(),
          ~hash_of_version()};
  own_place_ = {hash_of(processor_name()) & kNotHeard, 0, 0};
  const std::vector<std::uint32_t> addresses = discover::own_addresses();
  std::copy_n(addresses.begin(), std::min(addresses.size(), own_place_.size() - 1),
              own_place_.begin() + 1);
  int size = 1, rank = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto processes = static_cast<std::size_t>(size <= kFew ? size : 0);
  own_.resize(ESPALIER_ROLL_CALL_NUMBERS + processes * own_place_.size(), kNotHeard);
  if (processes > 0) {
    std::copy(own_place_.begin(), own_place_.end(), own_.begin() + place_at(rank));
  }
  least_.resize(own_.size());
  const int count = static_cast<int>(own_.size());
  if (kIsSimulated) {  // its non-blocking collectives send from everybody to everybody
    PMPI_Allreduce(own_.data(), least_.data(), count, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    return;
  }
  PMPI_Iallreduce(own_.data(), least_.data(), count, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD,
                  &request_);
}

void RollCall::wait() { PMPI_Wait(&request_, MPI_STATUS_IGNORE); }

std::vector<RollCall::Place> RollCall::places_heard() const {
  std::vector<Place> places((least_.size() - ESPALIER_ROLL_CALL_NUMBERS) / own_place_.size());
  for (std::size_t r = 0; r < places.size(); ++r) {
    std::copy_n(least_.begin() + place_at(static_cast<int>(r)), places[r].size(),
                places[r].begin());
  }
  return places;
}

RollCall::Places RollCall::places(MPI_Comm over) const {
  const std::vector<Place> heard = places_heard();
  return runtime::places_of(heard.empty() ? gather_places(own_place_, over) : heard);
}

}  // namespace espalier::mpi
