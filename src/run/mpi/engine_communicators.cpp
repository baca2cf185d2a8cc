// What Engine does with the program's communicators besides their calls: plans on and off by info,
// hidden communicators given back when the program runs out of communicators.
#include <algorithm>
#include <array>
#include <string_view>

#include "mpi/engine.hpp"

namespace espalier::mpi {

using runtime::Reason;

namespace {

/// A later value outdoes an earlier one.
enum class Switch : int { NotSaid, On, Off };

Switch switch_in(MPI_Info info) {
  if (info == MPI_INFO_NULL) return Switch::NotSaid;
  std::array<char, 8> value{};
  int found = 0;
  PMPI_Info_get(info, "espalier", static_cast<int>(value.size()) - 1, value.data(), &found);
  const std::string_view text = value.data();
  if (found == 0) return Switch::NotSaid;
  return text == "off" ? Switch::Off : text == "on" ? Switch::On : Switch::NotSaid;
}

}  // namespace

void Engine::set_info(MPI_Comm comm, MPI_Info info, bool keeps) {
  const Communicator* known = find(comm);
  if (known == nullptr || !known->is_within_world() || !all_take_part()) return;
  int said = static_cast<int>(switch_in(info));
  if (PMPI_Allreduce(MPI_IN_PLACE, &said, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS) return;
  const auto all = static_cast<Switch>(said);
  const bool was_off = known->never() == Reason::SwitchedOff;
  const bool is_off = all == Switch::Off || (all == Switch::NotSaid && keeps && was_off);
  if (is_off == was_off) return;
  PMPI_Comm_delete_attr(comm, keyval_);  // it is looked at anew
  if (is_off) {
    PMPI_Comm_set_attr(comm, off_keyval_, nullptr);
  } else {
    PMPI_Comm_delete_attr(comm, off_keyval_);
  }
}

bool Engine::give_back(MPI_Comm among) {
  int inter = 1;
  PMPI_Comm_test_inter(among, &inter);
  if (inter != 0) return false;
  auto ranks = ranks_in_world(among);
  if (!ranks) return false;  // others may not have our library
  std::sort(ranks->begin(), ranks->end());
  share_.close();
  std::map<MPI_Comm, Communicator*> live;
  {
    const std::lock_guard lock(mutex_);
    live = live_;
  }
  for (const auto& [handle, one] : live) {
    // All members are here: so all do without from the same call on.
    if (!one->holds_hidden() || !one->has_only(*ranks)) continue;
    {
      const std::lock_guard lock(mutex_);
      add_to(past_sent_, one->executor().channel().sent());
    }
    one->give_back();
  }
  return true;
}

}  // namespace espalier::mpi
