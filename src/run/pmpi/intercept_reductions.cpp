// Wrappers of the reductions.
#include <numeric>

#include "pmpi/functions.hpp"
#include "pmpi/intercept.hpp"

namespace espalier::pmpi {
namespace {

/// Mean bytes of a block, as planned calls are logged. @pre the call succeeded
std::uint64_t mean_block(const int* counts, MPI_Datatype type, MPI_Comm comm) {
  int size = 1;
  PMPI_Comm_size(comm, &size);
  const std::int64_t all = std::accumulate(counts, counts + size, std::int64_t{0});
  return bytes_of(all / size, type);
}

CallShape shape_of_reduction(schedule::Operation operation, std::intptr_t count,
                             std::intptr_t datatype, std::intptr_t op, std::intptr_t root = 0) {
  CallShape shape{operation};
  shape.numbers = {as<std::int64_t>(count), as<int>(root)};
  shape.types[0] = as<MPI_Datatype>(datatype);
  shape.op = as<MPI_Op>(op);
  return shape;
}

/// The counts themselves stand for it, not where they lie.
CallShape shape_of_scattered(std::intptr_t counts, std::intptr_t datatype, std::intptr_t op) {
  CallShape shape = shape_of_reduction(schedule::Operation::ReduceScatter, 0, datatype, op);
  shape.irregular = true;
  shape.counts = as<const int*>(counts);
  return shape;
}

}  // namespace

namespace {
[[gnu::noinline]] int decide_reduce(std::intptr_t sendbuf, std::intptr_t recvbuf,
                                    std::intptr_t count, std::intptr_t datatype, std::intptr_t op,
                                    std::intptr_t root, std::intptr_t comm) {
  return decide(
      shape_of_reduction(schedule::Operation::Reduce, count, datatype, op, root),
      as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) {
        return engine.reduce(as<const void*>(sendbuf), as<void*>(recvbuf), as<std::int64_t>(count),
                             as<MPI_Datatype>(datatype), as<MPI_Op>(op), as<int>(root),
                             as<MPI_Comm>(comm), code);
      },
      [&] { return next_reduce(sendbuf, recvbuf, count, datatype, op, root, comm); },
      [&] { return bytes_of(as<std::int64_t>(count), as<MPI_Datatype>(datatype)); });
}
}  // namespace
int intercept_reduce(std::intptr_t sendbuf, std::intptr_t recvbuf, std::intptr_t count,
                     std::intptr_t datatype, std::intptr_t op, std::intptr_t root,
                     std::intptr_t comm) {
  return intercept<decide_reduce, next_reduce>(
      shape_of_reduction(schedule::Operation::Reduce, count, datatype, op, root), sendbuf, recvbuf,
      count, datatype, op, root, comm);
}

namespace {
[[gnu::noinline]] int decide_allreduce(std::intptr_t sendbuf, std::intptr_t recvbuf,
                                       std::intptr_t count, std::intptr_t datatype,
                                       std::intptr_t op, std::intptr_t comm) {
  return decide(
      shape_of_reduction(schedule::Operation::Allreduce, count, datatype, op), as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) {
        return engine.allreduce(as<const void*>(sendbuf), as<void*>(recvbuf),
                                as<std::int64_t>(count), as<MPI_Datatype>(datatype), as<MPI_Op>(op),
                                as<MPI_Comm>(comm), code);
      },
      [&] { return next_allreduce(sendbuf, recvbuf, count, datatype, op, comm); },
      [&] { return bytes_of(as<std::int64_t>(count), as<MPI_Datatype>(datatype)); });
}
}  // namespace
int intercept_allreduce(std::intptr_t sendbuf, std::intptr_t recvbuf, std::intptr_t count,
                        std::intptr_t datatype, std::intptr_t op, std::intptr_t comm) {
  return intercept<decide_allreduce, next_allreduce>(
      shape_of_reduction(schedule::Operation::Allreduce, count, datatype, op), sendbuf, recvbuf,
      count, datatype, op, comm);
}

namespace {
[[gnu::noinline]] int decide_reduce_scatter_block(std::intptr_t sendbuf, std::intptr_t recvbuf,
                                                  std::intptr_t recvcount, std::intptr_t datatype,
                                                  std::intptr_t op, std::intptr_t comm) {
  return decide(
      shape_of_reduction(schedule::Operation::ReduceScatter, recvcount, datatype, op),
      as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) {
        return engine.reduce_scatter_block(as<const void*>(sendbuf), as<void*>(recvbuf),
                                           as<std::int64_t>(recvcount), as<MPI_Datatype>(datatype),
                                           as<MPI_Op>(op), as<MPI_Comm>(comm), code);
      },
      [&] { return next_reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm); },
      [&] { return bytes_of(as<std::int64_t>(recvcount), as<MPI_Datatype>(datatype)); });
}
}  // namespace
int intercept_reduce_scatter_block(std::intptr_t sendbuf, std::intptr_t recvbuf,
                                   std::intptr_t recvcount, std::intptr_t datatype,
                                   std::intptr_t op, std::intptr_t comm) {
  return intercept<decide_reduce_scatter_block, next_reduce_scatter_block>(
      shape_of_reduction(schedule::Operation::ReduceScatter, recvcount, datatype, op), sendbuf,
      recvbuf, recvcount, datatype, op, comm);
}

namespace {
[[gnu::noinline]] int decide_reduce_scatter(std::intptr_t sendbuf, std::intptr_t recvbuf,
                                            std::intptr_t recvcounts, std::intptr_t datatype,
                                            std::intptr_t op, std::intptr_t comm) {
  return decide(
      shape_of_scattered(recvcounts, datatype, op), as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) {
        return engine.reduce_scatter(as<const void*>(sendbuf), as<void*>(recvbuf),
                                     as<const int*>(recvcounts), as<MPI_Datatype>(datatype),
                                     as<MPI_Op>(op), as<MPI_Comm>(comm), code);
      },
      [&] { return next_reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm); },
      [&] {
        return mean_block(as<const int*>(recvcounts), as<MPI_Datatype>(datatype),
                          as<MPI_Comm>(comm));
      });
}
}  // namespace
int intercept_reduce_scatter(std::intptr_t sendbuf, std::intptr_t recvbuf, std::intptr_t recvcounts,
                             std::intptr_t datatype, std::intptr_t op, std::intptr_t comm) {
  return intercept<decide_reduce_scatter, next_reduce_scatter>(
      shape_of_scattered(recvcounts, datatype, op), sendbuf, recvbuf, recvcounts, datatype, op,
      comm);
}

namespace {
[[gnu::noinline]] int decide_scan(std::intptr_t sendbuf, std::intptr_t recvbuf, std::intptr_t count,
                                  std::intptr_t datatype, std::intptr_t op, std::intptr_t comm) {
  return decide(
      shape_of_reduction(schedule::Operation::Scan, count, datatype, op), as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) {
        return engine.scan(as<const void*>(sendbuf), as<void*>(recvbuf), as<std::int64_t>(count),
                           as<MPI_Datatype>(datatype), as<MPI_Op>(op), as<MPI_Comm>(comm), code);
      },
      [&] { return next_scan(sendbuf, recvbuf, count, datatype, op, comm); },
      [&] { return bytes_of(as<std::int64_t>(count), as<MPI_Datatype>(datatype)); });
}
}  // namespace
int intercept_scan(std::intptr_t sendbuf, std::intptr_t recvbuf, std::intptr_t count,
                   std::intptr_t datatype, std::intptr_t op, std::intptr_t comm) {
  return intercept<decide_scan, next_scan>(
      shape_of_reduction(schedule::Operation::Scan, count, datatype, op), sendbuf, recvbuf, count,
      datatype, op, comm);
}

namespace {
[[gnu::noinline]] int decide_exscan(std::intptr_t sendbuf, std::intptr_t recvbuf,
                                    std::intptr_t count, std::intptr_t datatype, std::intptr_t op,
                                    std::intptr_t comm) {
  return decide(
      shape_of_reduction(schedule::Operation::Exscan, count, datatype, op), as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) {
        return engine.exscan(as<const void*>(sendbuf), as<void*>(recvbuf), as<std::int64_t>(count),
                             as<MPI_Datatype>(datatype), as<MPI_Op>(op), as<MPI_Comm>(comm), code);
      },
      [&] { return next_exscan(sendbuf, recvbuf, count, datatype, op, comm); },
      [&] { return bytes_of(as<std::int64_t>(count), as<MPI_Datatype>(datatype)); });
}
}  // namespace
int intercept_exscan(std::intptr_t sendbuf, std::intptr_t recvbuf, std::intptr_t count,
                     std::intptr_t datatype, std::intptr_t op, std::intptr_t comm) {
  return intercept<decide_exscan, next_exscan>(
      shape_of_reduction(schedule::Operation::Exscan, count, datatype, op), sendbuf, recvbuf, count,
      datatype, op, comm);
}

}  // namespace espalier::pmpi
