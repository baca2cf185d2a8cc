// Wrappers of the operations that move equal blocks. For the log a block's size is
// told by arguments that are significant on this rank.
#include "pmpi/functions.hpp"
#include "pmpi/intercept.hpp"

namespace espalier::pmpi {

namespace {

/// Calls size_of(whether this rank is the root); between two groups nobody knows.
template <typename SizeOf>
std::uint64_t rooted_size(MPI_Comm comm, int root, SizeOf size_of) {
  int rank = 0, inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter != 0) return 0;
  PMPI_Comm_rank(comm, &rank);
  return size_of(rank == root);
}

CallShape shape_of(schedule::Operation operation, bool in_place, std::intptr_t sendcount,
                   std::intptr_t sendtype, std::intptr_t recvcount, std::intptr_t recvtype,
                   std::intptr_t root = 0) {
  CallShape shape{operation};
  shape.in_place = in_place;
  shape.numbers = {as<std::int64_t>(sendcount), as<std::int64_t>(recvcount), as<int>(root)};
  shape.types = {as<MPI_Datatype>(sendtype), as<MPI_Datatype>(recvtype)};
  return shape;
}
bool is_in_place(std::intptr_t buffer) { return as<const void*>(buffer) == MPI_IN_PLACE; }

}  // namespace

namespace {
[[gnu::noinline]] int decide_gather(std::intptr_t sendbuf, std::intptr_t sendcount,
                                    std::intptr_t sendtype, std::intptr_t recvbuf,
                                    std::intptr_t recvcount, std::intptr_t recvtype,
                                    std::intptr_t root, std::intptr_t comm) {
  return decide(
      shape_of(schedule::Operation::Gather, is_in_place(sendbuf), sendcount, sendtype, recvcount,
               recvtype, root),
      as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) {
        return engine.gather(as<const void*>(sendbuf), as<std::int64_t>(sendcount),
                             as<MPI_Datatype>(sendtype), as<void*>(recvbuf),
                             as<std::int64_t>(recvcount), as<MPI_Datatype>(recvtype), as<int>(root),
                             as<MPI_Comm>(comm), code);
      },
      [&] {
        return next_gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
      },
      [&] {
        return rooted_size(as<MPI_Comm>(comm), as<int>(root), [&](bool is_root) {
          return is_root ? bytes_of(as<std::int64_t>(recvcount), as<MPI_Datatype>(recvtype))
                         : bytes_of(as<std::int64_t>(sendcount), as<MPI_Datatype>(sendtype));
        });
      });
}
}  // namespace
int intercept_gather(std::intptr_t sendbuf, std::intptr_t sendcount, std::intptr_t sendtype,
                     std::intptr_t recvbuf, std::intptr_t recvcount, std::intptr_t recvtype,
                     std::intptr_t root, std::intptr_t comm) {
  return intercept<decide_gather, next_gather>(
      shape_of(schedule::Operation::Gather, is_in_place(sendbuf), sendcount, sendtype, recvcount,
               recvtype, root),
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

namespace {
[[gnu::noinline]] int decide_scatter(std::intptr_t sendbuf, std::intptr_t sendcount,
                                     std::intptr_t sendtype, std::intptr_t recvbuf,
                                     std::intptr_t recvcount, std::intptr_t recvtype,
                                     std::intptr_t root, std::intptr_t comm) {
  return decide(
      shape_of(schedule::Operation::Scatter, is_in_place(recvbuf), sendcount, sendtype, recvcount,
               recvtype, root),
      as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) {
        return engine.scatter(as<const void*>(sendbuf), as<std::int64_t>(sendcount),
                              as<MPI_Datatype>(sendtype), as<void*>(recvbuf),
                              as<std::int64_t>(recvcount), as<MPI_Datatype>(recvtype),
                              as<int>(root), as<MPI_Comm>(comm), code);
      },
      [&] {
        return next_scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
      },
      [&] {
        return rooted_size(as<MPI_Comm>(comm), as<int>(root), [&](bool is_root) {
          return is_root ? bytes_of(as<std::int64_t>(sendcount), as<MPI_Datatype>(sendtype))
                         : bytes_of(as<std::int64_t>(recvcount), as<MPI_Datatype>(recvtype));
        });
      });
}
}  // namespace
int intercept_scatter(std::intptr_t sendbuf, std::intptr_t sendcount, std::intptr_t sendtype,
                      std::intptr_t recvbuf, std::intptr_t recvcount, std::intptr_t recvtype,
                      std::intptr_t root, std::intptr_t comm) {
  return intercept<decide_scatter, next_scatter>(
      shape_of(schedule::Operation::Scatter, is_in_place(recvbuf), sendcount, sendtype, recvcount,
               recvtype, root),
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

namespace {
[[gnu::noinline]] int decide_allgather(std::intptr_t sendbuf, std::intptr_t sendcount,
                                       std::intptr_t sendtype, std::intptr_t recvbuf,
                                       std::intptr_t recvcount, std::intptr_t recvtype,
                                       std::intptr_t comm) {
  return decide(
      shape_of(schedule::Operation::Allgather, is_in_place(sendbuf), sendcount, sendtype, recvcount,
               recvtype),
      as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) {
        return engine.allgather(as<const void*>(sendbuf), as<std::int64_t>(sendcount),
                                as<MPI_Datatype>(sendtype), as<void*>(recvbuf),
                                as<std::int64_t>(recvcount), as<MPI_Datatype>(recvtype),
                                as<MPI_Comm>(comm), code);
      },
      [&] {
        return next_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      },
      [&] { return bytes_of(as<std::int64_t>(recvcount), as<MPI_Datatype>(recvtype)); });
}
}  // namespace
int intercept_allgather(std::intptr_t sendbuf, std::intptr_t sendcount, std::intptr_t sendtype,
                        std::intptr_t recvbuf, std::intptr_t recvcount, std::intptr_t recvtype,
                        std::intptr_t comm) {
  return intercept<decide_allgather, next_allgather>(
      shape_of(schedule::Operation::Allgather, is_in_place(sendbuf), sendcount, sendtype, recvcount,
               recvtype),
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

namespace {
[[gnu::noinline]] int decide_alltoall(std::intptr_t sendbuf, std::intptr_t sendcount,
                                      std::intptr_t sendtype, std::intptr_t recvbuf,
                                      std::intptr_t recvcount, std::intptr_t recvtype,
                                      std::intptr_t comm) {
  return decide(
      shape_of(schedule::Operation::Alltoall, is_in_place(sendbuf), sendcount, sendtype, recvcount,
               recvtype),
      as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) {
        return engine.alltoall(as<const void*>(sendbuf), as<std::int64_t>(sendcount),
                               as<MPI_Datatype>(sendtype), as<void*>(recvbuf),
                               as<std::int64_t>(recvcount), as<MPI_Datatype>(recvtype),
                               as<MPI_Comm>(comm), code);
      },
      [&] {
        return next_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      },
      [&] { return bytes_of(as<std::int64_t>(recvcount), as<MPI_Datatype>(recvtype)); });
}
}  // namespace
int intercept_alltoall(std::intptr_t sendbuf, std::intptr_t sendcount, std::intptr_t sendtype,
                       std::intptr_t recvbuf, std::intptr_t recvcount, std::intptr_t recvtype,
                       std::intptr_t comm) {
  return intercept<decide_alltoall, next_alltoall>(
      shape_of(schedule::Operation::Alltoall, is_in_place(sendbuf), sendcount, sendtype, recvcount,
               recvtype),
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

}  // namespace espalier::pmpi
