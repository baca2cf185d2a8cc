#include "league/contenders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace espalier::league {
namespace {

using schedule::Operation;

struct Algorithms {
  Operation operation;
  const char* option;
  const char* names;
};

// As libsimgrid 3.32 exports them (simgrid::smpi::OPERATION__NAME), without "automatic", "default"
// and the selectors.
constexpr std::array kAlgorithms{
    Algorithms{Operation::Broadcast, "bcast",
               "NTSB NTSL NTSL_Isend SMP_binary SMP_binomial SMP_linear arrival_pattern_aware "
               "arrival_pattern_aware_wait arrival_scatter binomial_tree flattree "
               "flattree_pipeline mvapich2_inter_node mvapich2_intra_node "
               "mvapich2_knomial_intra_node ompi_pipeline ompi_split_bintree "
               "scatter_LR_allgather scatter_rdb_allgather"},
    Algorithms{Operation::Reduce, "reduce",
               "NTSL arrival_pattern_aware binomial flat_tree mvapich2_knomial mvapich2_two_level "
               "ompi_basic_linear ompi_binary ompi_binomial ompi_chain ompi_in_order_binary "
               "ompi_pipeline rab scatter_gather"},
    Algorithms{Operation::Allreduce, "allreduce",
               "lr mvapich2_rs mvapich2_two_level ompi_ring_segmented rab rab1 rab2 rab_rdb rdb "
               "redbcast smp_binomial smp_binomial_pipeline smp_rdb smp_rsag smp_rsag_lr "
               "smp_rsag_rab"},
    Algorithms{Operation::Barrier, "barrier",
               "mpich_smp mvapich2_pair ompi_basic_linear ompi_bruck ompi_doublering "
               "ompi_recursivedoubling ompi_tree"},
    Algorithms{Operation::Gather, "gather",
               "mvapich2_two_level ompi_basic_linear ompi_binomial ompi_linear_sync"},
    Algorithms{Operation::Scatter, "scatter",
               "mvapich2_two_level_binomial mvapich2_two_level_direct ompi_basic_linear "
               "ompi_binomial ompi_linear_nb"},
    Algorithms{Operation::Allgather, "allgather",
               "2dmesh 3dmesh GB NTSLR NTSLR_NB SMP_NTS bruck loosely_lr mvapich2_smp "
               "ompi_neighborexchange pair rdb rhv ring smp_simple spreading_simple"},
    Algorithms{Operation::Alltoall, "alltoall",
               "2dmesh 3dmesh basic_linear bruck mvapich2_scatter_dest pair pair_light_barrier "
               "pair_mpi_barrier pair_one_barrier rdb ring ring_light_barrier ring_mpi_barrier "
               "ring_one_barrier"},
    Algorithms{Operation::ReduceScatter, "reduce_scatter",
               "mpich_noncomm mpich_pair mpich_rdb ompi_basic_recursivehalving ompi_butterfly "
               "ompi_ring"}};

constexpr std::array kSelectors{"ompi", "mpich", "mvapich2", "impi"};

}  // namespace

std::vector<std::string> Contender::options() const {
  switch (kind) {
    case ContenderKind::Ours:
    case ContenderKind::Plan:
      return {};
    case ContenderKind::Selector:
      return {"smpi/coll-selector:" + name};
    case ContenderKind::Single:
      break;
  }
  return {"smpi/" + name};
}

std::vector<std::string> Contender::environment() const {
  if (kind == ContenderKind::Ours) return {"ESPALIER_FORCE=1"};
  if (kind != ContenderKind::Plan) return {"ESPALIER_DISABLE=1"};
  return {"ESPALIER_FORCE=1",
          fmt::format("ESPALIER_ALGORITHM={}={}", schedule::name_of(operation), name)};
}

Contender ours() { return {"espalier", ContenderKind::Ours, {}}; }

Contender with_plan(schedule::Operation operation, std::string plan) {
  return {std::move(plan), ContenderKind::Plan, operation};
}

Expected<std::vector<Contender>> selectors_called(const std::string& list) {
  std::vector<Contender> contenders;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) {
    if (std::find(kSelectors.begin(), kSelectors.end(), name) == kSelectors.end()) {
      return Error{"--peer", fmt::format("there is no selector \"{}\"", name),
                   fmt::format("{}", fmt::join(kSelectors, ", "))};
    }
    contenders.push_back({name, ContenderKind::Selector, {}});
  }
  return contenders;
}

std::vector<Contender> single_algorithms() {
  std::vector<Contender> contenders;
  for (const Algorithms& of_one : kAlgorithms) {
    std::istringstream in(of_one.names);
    for (std::string name; in >> name;) {
      contenders.push_back(
          {fmt::format("{}:{}", of_one.option, name), ContenderKind::Single, of_one.operation});
    }
  }
  return contenders;
}

}  // namespace espalier::league
