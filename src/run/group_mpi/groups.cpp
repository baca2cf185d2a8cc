#include <stdexcept>

#include "group_mpi/runtime.hpp"

namespace espalier {
namespace {

mpi::OwnedComm hidden_duplicate(MPI_Comm comm) {
  int is_between_groups = 0;
  PMPI_Comm_test_inter(comm, &is_between_groups);
  if (is_between_groups != 0) throw std::invalid_argument("Groups: an intercommunicator");
  MPI_Comm duplicate = MPI_COMM_NULL;
  // Not MPI_Comm_dup: a user's attributes, and what preloaded tools keep, are not for us.
  MPI_Group all = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &all);
  PMPI_Comm_create(comm, all, &duplicate);
  PMPI_Group_free(&all);
  if (duplicate == MPI_COMM_NULL) return {};
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (PMPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS) {
    PMPI_Comm_set_errhandler(duplicate, handler);
    PMPI_Errhandler_free(&handler);
  }
  return mpi::OwnedComm(duplicate);
}

}  // namespace

Groups::Groups(MPI_Comm comm, GroupsOptions options)
    : runtime_(std::make_unique<GroupRuntime>(hidden_duplicate(comm), options)) {}

Groups::~Groups() = default;

void Groups::progress() { runtime_->progress(); }

int Groups::error() const { return runtime_->endpoint.error(); }

GroupStatistics Groups::statistics() const {
  const group::Process& process = runtime_->process;
  using group_mpi::MpiEndpoint;
  return {process.live_groups(),
          process.trees_for_roots(),
          process.bytes(),
          MpiEndpoint::kReceives * MpiEndpoint::kSlotBytes,
          process.waiting_messages(),
          process.held_messages(),
          runtime_->endpoint.sends_under_way(),
          runtime_->endpoint.most_sends_under_way(),
          runtime_->endpoint.messages_sent()};
}

Group Groups::all() const {
  Group group;
  group.runtime_ = runtime_.get();
  group.tag_ = runtime_->process.world().tag();
  return group;
}

bool GroupRequest::test() {
  if (runtime_ == nullptr) return true;
  const group::Ticket ticket(runtime_->process, group_, sequence_);
  if (!ticket.test()) runtime_->progress();
  return ticket.test() || runtime_->endpoint.error() != MPI_SUCCESS;
}

void GroupRequest::wait() {
  if (runtime_ == nullptr) return;
  const group::Ticket ticket(runtime_->process, group_, sequence_);
  runtime_->until([&] { return ticket.test(); });
}

bool NewGroup::test() {
  const group::Splitting splitting(runtime_->process, construction_);
  if (!splitting.test()) runtime_->progress();
  return splitting.test() || runtime_->endpoint.error() != MPI_SUCCESS;
}

Group NewGroup::wait() {
  group::Splitting splitting(runtime_->process, construction_);
  runtime_->until([&] { return splitting.test(); });
  Group group;
  if (!splitting.test()) return group;  // MPI has failed
  const group::Group made = splitting.group();
  if (!made.member()) return group;
  group.runtime_ = runtime_;
  group.tag_ = made.tag();
  return group;
}

}  // namespace espalier
