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
  const Communicator* known = registry_->find(comm);
  if (known == nullptr || !known->is_within_world() || !all_take_part()) return;
  int said = static_cast<int>(switch_in(info));
  if (PMPI_Allreduce(MPI_IN_PLACE, &said, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS) return;
  const auto all = static_cast<Switch>(said);
  const bool was_off = known->never() == Reason::SwitchedOff;
  const bool is_off = all == Switch::Off || (all == Switch::NotSaid && keeps && was_off);
  if (is_off == was_off) return;
  const ProgressEngine::Inside inside;
  registry_->switch_plans(comm, is_off);
}

bool Engine::give_back(MPI_Comm among) {
  int inter = 1;
  PMPI_Comm_test_inter(among, &inter);
  if (inter != 0) return false;
  auto ranks = ranks_in_world(among);
  if (!ranks || !all_take_part()) return false;  // others may not have our library
  // Calls that do not block may come before this one on some ranks and after it on others, so what
  // becomes of them must not change here: communicators on which some may be planned keep theirs.
  int has_started = registry_->progress().has_started() ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &has_started, 1, MPI_INT, MPI_MAX, among);
  std::sort(ranks->begin(), ranks->end());
  registry_->give_back(*ranks, has_started != 0);
  return true;
}

bool Engine::give_back_to(std::initializer_list<MPI_Group> groups) {
  std::vector<Rank> all;
  for (const MPI_Group group : groups) {
    const auto ranks = group_in_world(group);
    if (!ranks) return false;
    all.insert(all.end(), ranks->begin(), ranks->end());
  }
  if (!all_take_part()) return false;
  std::sort(all.begin(), all.end());
  registry_->give_back(all, true);
  return true;
}

}  // namespace espalier::mpi
