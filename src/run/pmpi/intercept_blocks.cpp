// The bodies of the irregular calls' wrappers. No exception leaves this file.
#include "pmpi/functions.hpp"
#include "pmpi/intercept.hpp"

namespace espalier::pmpi {
namespace {

using mpi::BlockArguments;
using mpi::BlockCall;
using schedule::Operation;

CallShape shape_of_blocks(Operation operation, std::intptr_t root = 0) {
  CallShape shape{operation};
  shape.irregular = true;
  shape.numbers[0] = as<int>(root);
  return shape;
}
/// All ranks know all counts of an allgatherv, and its class depends on them.
CallShape shape_of_allgatherv(std::intptr_t counts, std::intptr_t type) {
  CallShape shape = shape_of_blocks(Operation::Allgather);
  shape.types[0] = as<MPI_Datatype>(type);
  shape.counts = as<const int*>(counts);
  return shape;
}

template <typename Native>
int decide_on_blocks(const CallShape& shape, const BlockCall& call, Native native) {
  return decide(
      shape, call.comm,
      [&](mpi::Engine& engine, int& code) { return engine.move_blocks(call, code); }, native,
      [&] { return the_engine.load()->bytes_of(call); });
}

/// One block for each rank.
BlockArguments several(std::intptr_t buffer, std::intptr_t counts, std::intptr_t displacements,
                       std::intptr_t type) {
  return {as<const void*>(buffer), as<const int*>(counts), as<const int*>(displacements),
          as<MPI_Datatype>(type), nullptr};
}
BlockArguments several_types(std::intptr_t buffer, std::intptr_t counts,
                             std::intptr_t displacements, std::intptr_t types) {
  const auto* all = as<const MPI_Datatype*>(types);
  // A call without types is as wrong as one without counts.
  return {as<const void*>(buffer),
          all == nullptr ? nullptr : as<const int*>(counts),
          as<const int*>(displacements),
          {},
          all};
}
BlockArguments one(std::intptr_t buffer, const int& count, std::intptr_t type) {
  return {as<const void*>(buffer), &count, nullptr, as<MPI_Datatype>(type), nullptr};
}

}  // namespace

namespace {
[[gnu::noinline]] int decide_gatherv(std::intptr_t sendbuf, std::intptr_t sendcount,
                                     std::intptr_t sendtype, std::intptr_t recvbuf,
                                     std::intptr_t recvcounts, std::intptr_t displs,
                                     std::intptr_t recvtype, std::intptr_t root,
                                     std::intptr_t comm) {
  const int count = as<int>(sendcount);
  return decide_on_blocks(
      shape_of_blocks(Operation::Gather, root),
      {Operation::Gather, as<int>(root), as<MPI_Comm>(comm), one(sendbuf, count, sendtype),
       several(recvbuf, recvcounts, displs, recvtype)},
      [&] {
        return next_gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                            root, comm);
      });
}
}  // namespace
int intercept_gatherv(std::intptr_t sendbuf, std::intptr_t sendcount, std::intptr_t sendtype,
                      std::intptr_t recvbuf, std::intptr_t recvcounts, std::intptr_t displs,
                      std::intptr_t recvtype, std::intptr_t root, std::intptr_t comm) {
  return intercept<decide_gatherv, next_gatherv>(shape_of_blocks(Operation::Gather, root), sendbuf,
                                                 sendcount, sendtype, recvbuf, recvcounts, displs,
                                                 recvtype, root, comm);
}

namespace {
[[gnu::noinline]] int decide_scatterv(std::intptr_t sendbuf, std::intptr_t sendcounts,
                                      std::intptr_t displs, std::intptr_t sendtype,
                                      std::intptr_t recvbuf, std::intptr_t recvcount,
                                      std::intptr_t recvtype, std::intptr_t root,
                                      std::intptr_t comm) {
  const int count = as<int>(recvcount);
  return decide_on_blocks(
      shape_of_blocks(Operation::Scatter, root),
      {Operation::Scatter, as<int>(root), as<MPI_Comm>(comm),
       several(sendbuf, sendcounts, displs, sendtype), one(recvbuf, count, recvtype)},
      [&] {
        return next_scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                             root, comm);
      });
}
}  // namespace
int intercept_scatterv(std::intptr_t sendbuf, std::intptr_t sendcounts, std::intptr_t displs,
                       std::intptr_t sendtype, std::intptr_t recvbuf, std::intptr_t recvcount,
                       std::intptr_t recvtype, std::intptr_t root, std::intptr_t comm) {
  return intercept<decide_scatterv, next_scatterv>(shape_of_blocks(Operation::Scatter, root),
                                                   sendbuf, sendcounts, displs, sendtype, recvbuf,
                                                   recvcount, recvtype, root, comm);
}

namespace {
[[gnu::noinline]] int decide_allgatherv(std::intptr_t sendbuf, std::intptr_t sendcount,
                                        std::intptr_t sendtype, std::intptr_t recvbuf,
                                        std::intptr_t recvcounts, std::intptr_t displs,
                                        std::intptr_t recvtype, std::intptr_t comm) {
  const int count = as<int>(sendcount);
  return decide_on_blocks(
      shape_of_allgatherv(recvcounts, recvtype),
      {Operation::Allgather, 0, as<MPI_Comm>(comm), one(sendbuf, count, sendtype),
       several(recvbuf, recvcounts, displs, recvtype)},
      [&] {
        return next_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                               comm);
      });
}
}  // namespace
int intercept_allgatherv(std::intptr_t sendbuf, std::intptr_t sendcount, std::intptr_t sendtype,
                         std::intptr_t recvbuf, std::intptr_t recvcounts, std::intptr_t displs,
                         std::intptr_t recvtype, std::intptr_t comm) {
  return intercept<decide_allgatherv, next_allgatherv>(shape_of_allgatherv(recvcounts, recvtype),
                                                       sendbuf, sendcount, sendtype, recvbuf,
                                                       recvcounts, displs, recvtype, comm);
}

namespace {
[[gnu::noinline]] int decide_alltoallv(std::intptr_t sendbuf, std::intptr_t sendcounts,
                                       std::intptr_t sdispls, std::intptr_t sendtype,
                                       std::intptr_t recvbuf, std::intptr_t recvcounts,
                                       std::intptr_t rdispls, std::intptr_t recvtype,
                                       std::intptr_t comm) {
  return decide_on_blocks(
      shape_of_blocks(Operation::Alltoall),
      {Operation::Alltoall, 0, as<MPI_Comm>(comm), several(sendbuf, sendcounts, sdispls, sendtype),
       several(recvbuf, recvcounts, rdispls, recvtype)},
      [&] {
        return next_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                              recvtype, comm);
      });
}
}  // namespace
int intercept_alltoallv(std::intptr_t sendbuf, std::intptr_t sendcounts, std::intptr_t sdispls,
                        std::intptr_t sendtype, std::intptr_t recvbuf, std::intptr_t recvcounts,
                        std::intptr_t rdispls, std::intptr_t recvtype, std::intptr_t comm) {
  return intercept<decide_alltoallv, next_alltoallv>(shape_of_blocks(Operation::Alltoall), sendbuf,
                                                     sendcounts, sdispls, sendtype, recvbuf,
                                                     recvcounts, rdispls, recvtype, comm);
}

namespace {
[[gnu::noinline]] int decide_alltoallw(std::intptr_t sendbuf, std::intptr_t sendcounts,
                                       std::intptr_t sdispls, std::intptr_t sendtypes,
                                       std::intptr_t recvbuf, std::intptr_t recvcounts,
                                       std::intptr_t rdispls, std::intptr_t recvtypes,
                                       std::intptr_t comm) {
  return decide_on_blocks(shape_of_blocks(Operation::Alltoall),
                          {Operation::Alltoall, 0, as<MPI_Comm>(comm),
                           several_types(sendbuf, sendcounts, sdispls, sendtypes),
                           several_types(recvbuf, recvcounts, rdispls, recvtypes)},
                          [&] {
                            return next_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                                  recvcounts, rdispls, recvtypes, comm);
                          });
}
}  // namespace
int intercept_alltoallw(std::intptr_t sendbuf, std::intptr_t sendcounts, std::intptr_t sdispls,
                        std::intptr_t sendtypes, std::intptr_t recvbuf, std::intptr_t recvcounts,
                        std::intptr_t rdispls, std::intptr_t recvtypes, std::intptr_t comm) {
  return intercept<decide_alltoallw, next_alltoallw>(shape_of_blocks(Operation::Alltoall), sendbuf,
                                                     sendcounts, sdispls, sendtypes, recvbuf,
                                                     recvcounts, rdispls, recvtypes, comm);
}

}  // namespace espalier::pmpi
