#include "mpi/roll_call.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace espalier::mpi {

void RollCall::begin(const Presence& own, int size) {
  own_ = own;
  all_.assign(static_cast<std::size_t>(size), own);
  if (size == 1) return;
  PMPI_Iallgather(&own_, static_cast<int>(sizeof own_), MPI_BYTE, all_.data(),
                  static_cast<int>(sizeof own_), MPI_BYTE, MPI_COMM_WORLD, &request_);
}

void RollCall::wait() {
  if (request_ != MPI_REQUEST_NULL) PMPI_Wait(&request_, MPI_STATUS_IGNORE);
}

bool RollCall::same_settings() const {
  return std::all_of(all_.begin(), all_.end(),
                     [&](const Presence& p) { return p.settings == own_.settings; });
}

bool RollCall::nobody_can_wait() const {
  return std::all_of(all_.begin(), all_.end(),
                     [](const Presence& p) { return p.cannot_wait != 0; });
}

bool RollCall::any_threaded() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](const Presence& p) { return p.is_threaded != 0; });
}

bool RollCall::all_threaded() const {
  return std::all_of(all_.begin(), all_.end(),
                     [](const Presence& p) { return p.is_threaded != 0; });
}

std::vector<int> RollCall::leaders() const {
  std::map<std::uint64_t, int> first;
  std::vector<int> result;
  for (std::size_t r = 0; r < all_.size(); ++r) {
    result.push_back(first.try_emplace(all_[r].node, static_cast<int>(r)).first->second);
  }
  return result;
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

std::uint64_t hash_of_node() {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  PMPI_Get_processor_name(name.data(), &length);
  return hash_of({name.data(), static_cast<std::size_t>(length)});
}

}  // namespace espalier::mpi
