#pragma once

// Multicasts for MPI programs: what Communicator::multicast() takes, and how it runs where there is
// no plan for it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "espalier/datatype.hpp"
#include "espalier/runtime_calls.h"

namespace espalier::mpi {
inline namespace api {

/// A message of one rank to some of the others. The data of those who are neither root nor listed
/// are not looked at.
struct Multicast {
  std::span<std::byte> data;
  int root = 0;
  std::vector<int> to;  ///< the root may be listed, and is passed over
};

/// A multicast of any elements that can be copied as bytes.
template <std::ranges::contiguous_range Data>
[[nodiscard]] Multicast multicast_of(Data&& data, int root, std::vector<int> to) {
  static_assert(std::is_trivially_copyable_v<std::ranges::range_value_t<Data>>);
  return {std::as_writable_bytes(std::span(data)), root, std::move(to)};
}

/// Whether all ranks of it exist and none is listed twice; then the root is no longer listed.
[[nodiscard]] inline bool put_in_order(Multicast& one, int size) {
  std::vector<bool> seen(static_cast<std::size_t>(size), false);
  if (one.root < 0 || one.root >= size) return false;
  for (const int rank : one.to) {
    if (rank < 0 || rank >= size || seen[static_cast<std::size_t>(rank)]) return false;
    seen[static_cast<std::size_t>(rank)] = true;
  }
  std::erase(one.to, one.root);
  return true;
}

/// Runs a multicast along a binomial tree over root and list, with point-to-point messages of a
/// communicator that nothing else uses. @return MPI's code
/// @pre put_in_order(one)
inline int native_multicast(const Multicast& one, int rank, MPI_Comm lane) {
  std::vector<int> order{one.root};
  order.insert(order.end(), one.to.begin(), one.to.end());
  const auto self = std::find(order.begin(), order.end(), rank);
  if (self == order.end()) return MPI_SUCCESS;
  const auto me = static_cast<std::size_t>(self - order.begin());
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30U;
  const auto each_piece = [&](auto move) {
    int code = MPI_SUCCESS;
    std::size_t at = 0;
    do {
      const std::size_t bytes = std::min(kMostAtOnce, one.data.size() - at);
      code = move(one.data.data() + at, static_cast<int>(bytes));
      at += bytes;
    } while (code == MPI_SUCCESS && at < one.data.size());
    return code;
  };
  std::size_t reach = 1;  // positions below have it, before the round in which I get it
  while (reach * 2 <= me) reach *= 2;
  int code = MPI_SUCCESS;
  if (me > 0) {
    code = each_piece([&](std::byte* at, int bytes) {
      return MPI_Recv(at, bytes, MPI_BYTE, order[me - reach], 0, lane, MPI_STATUS_IGNORE);
    });
    reach *= 2;
  }
  for (; code == MPI_SUCCESS && me + reach < order.size(); reach *= 2) {
    code = each_piece([&](std::byte* at, int bytes) {
      return MPI_Send(at, bytes, MPI_BYTE, order[me + reach], 0, lane);
    });
  }
  return code;
}

/// Runs multicasts along plans, if the library is there and has some.
/// @return whether it did; then `code` is MPI's
inline bool planned_multicasts(std::span<const Multicast> several, MPI_Comm comm, int& code) {
  if (espalier_api_multicasts_ == nullptr) return false;
  std::vector<espalier_multicast> all;
  for (const Multicast& one : several) {
    all.push_back({one.data.data(), one.data.size(), one.root, static_cast<int>(one.to.size()),
                   one.to.data()});
  }
  return espalier_api_multicasts_(static_cast<int>(MPI_Comm_c2f(comm)), all.data(),
                                  static_cast<int>(all.size()), &code) == 0;
}

}  // namespace api
}  // namespace espalier::mpi
