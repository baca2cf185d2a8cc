// Wrong arguments: the same error class as the native call, through the communicator's own handler,
// and the communicator still works afterwards.
#include <array>
#include <functional>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

int handled = 0;
void count_error(MPI_Comm* /*comm*/, int* /*code*/, ...) { ++handled; }

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

int run() {
  Failures failures;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int size = 1;
  MPI_Comm_size(comm, &size);
  std::array<double, 4> in{1, 2, 3, 4}, out{};
  std::vector<double> all(static_cast<std::size_t>(4 * size)), more(all);
  const auto works = [&](const char* after) {
    MPI_Allreduce(in.data(), out.data(), 4, MPI_DOUBLE, MPI_SUM, comm);
    failures.expect(last_was_planned(), std::string("native after ") + after);
    failures.expect(out[3] == 4.0 * size, std::string("wrong after ") + after);
  };
  struct Case {
    const char* name;
    std::function<int(bool)> call;  // true: through MPI_X
  };
  const auto bcast = [&](bool ours, void* buffer, int count, MPI_Datatype type, int root) {
    return ours ? MPI_Bcast(buffer, count, type, root, comm)
                : PMPI_Bcast(buffer, count, type, root, comm);
  };
  const auto allreduce = [&](bool ours, const void* from, void* to, int count, MPI_Datatype type,
                             MPI_Op op) {
    return ours ? MPI_Allreduce(from, to, count, type, op, comm)
                : PMPI_Allreduce(from, to, count, type, op, comm);
  };
  const auto reduce = [&](bool ours, MPI_Op op, int root) {
    return ours ? MPI_Reduce(in.data(), out.data(), 4, MPI_DOUBLE, op, root, comm)
                : PMPI_Reduce(in.data(), out.data(), 4, MPI_DOUBLE, op, root, comm);
  };
  const auto gather = [&](bool ours, int n, MPI_Datatype type, int root) {
    return ours ? MPI_Gather(in.data(), n, type, all.data(), n, type, root, comm)
                : PMPI_Gather(in.data(), n, type, all.data(), n, type, root, comm);
  };
  const auto scatter = [&](bool ours, int n, MPI_Datatype type, int root) {
    return ours ? MPI_Scatter(all.data(), n, type, out.data(), n, type, root, comm)
                : PMPI_Scatter(all.data(), n, type, out.data(), n, type, root, comm);
  };
  const auto allgather = [&](bool ours, int n, MPI_Datatype type) {
    return ours ? MPI_Allgather(in.data(), n, type, all.data(), n, type, comm)
                : PMPI_Allgather(in.data(), n, type, all.data(), n, type, comm);
  };
  const auto alltoall = [&](bool ours, int n, MPI_Datatype type) {
    return ours ? MPI_Alltoall(all.data(), n, type, more.data(), n, type, comm)
                : PMPI_Alltoall(all.data(), n, type, more.data(), n, type, comm);
  };
  const auto reduce_scatter = [&](bool ours, int last, MPI_Op op) {
    std::vector<int> counts(static_cast<std::size_t>(size), 1);
    counts.back() = last;
    return ours ? MPI_Reduce_scatter(all.data(), out.data(), counts.data(), MPI_DOUBLE, op, comm)
                : PMPI_Reduce_scatter(all.data(), out.data(), counts.data(), MPI_DOUBLE, op, comm);
  };
  const auto reduce_scatter_block = [&](bool ours, MPI_Datatype type, MPI_Op op) {
    return ours ? MPI_Reduce_scatter_block(all.data(), out.data(), 2, type, op, comm)
                : PMPI_Reduce_scatter_block(all.data(), out.data(), 2, type, op, comm);
  };
  const auto scan = [&](bool ours, int n, MPI_Datatype type, MPI_Op op) {
    return ours ? MPI_Scan(in.data(), out.data(), n, type, op, comm)
                : PMPI_Scan(in.data(), out.data(), n, type, op, comm);
  };
  const auto exscan = [&](bool ours, int n, MPI_Datatype type, MPI_Op op) {
    return ours ? MPI_Exscan(in.data(), out.data(), n, type, op, comm)
                : PMPI_Exscan(in.data(), out.data(), n, type, op, comm);
  };
  const auto result_in_place = [&](bool ours) {
    return ours ? MPI_Reduce_scatter_block(all.data(), MPI_IN_PLACE, 2, MPI_DOUBLE, MPI_SUM, comm)
                : PMPI_Reduce_scatter_block(all.data(), MPI_IN_PLACE, 2, MPI_DOUBLE, MPI_SUM, comm);
  };
  const auto scan_in_place = [&](bool ours) {
    return ours ? MPI_Scan(in.data(), MPI_IN_PLACE, 4, MPI_DOUBLE, MPI_SUM, comm)
                : PMPI_Scan(in.data(), MPI_IN_PLACE, 4, MPI_DOUBLE, MPI_SUM, comm);
  };
  MPI_Datatype untyped = MPI_DATATYPE_NULL;  // that nobody has committed
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &untyped);
  // Not here: an allreduce of a negative count, and a broadcast in place, on which MPICH 4.0.2
  // itself crashes; a scatter of what is not committed, on which Open MPI 4.1.4 does.
  const std::array cases{
      Case{"a root beyond", [&](bool o) { return bcast(o, in.data(), 4, MPI_DOUBLE, size); }},
      Case{"a negative root", [&](bool o) { return bcast(o, in.data(), 4, MPI_DOUBLE, -5); }},
      Case{"a negative count", [&](bool o) { return bcast(o, in.data(), -1, MPI_DOUBLE, 0); }},
      Case{"no type", [&](bool o) { return bcast(o, in.data(), 4, MPI_DATATYPE_NULL, 0); }},
      Case{"no operation",
           [&](bool o) { return allreduce(o, in.data(), out.data(), 4, MPI_DOUBLE, MPI_OP_NULL); }},
      Case{"bits of doubles",
           [&](bool o) { return allreduce(o, in.data(), out.data(), 4, MPI_DOUBLE, MPI_BAND); }},
      Case{"no type of summands",
           [&](bool o) {
             return allreduce(o, in.data(), out.data(), 4, MPI_DATATYPE_NULL, MPI_SUM);
           }},
      Case{"a reduction to nobody", [&](bool o) { return reduce(o, MPI_SUM, size + 3); }},
      Case{"a reduction by nothing", [&](bool o) { return reduce(o, MPI_OP_NULL, 0); }},
      Case{"a gather to nobody", [&](bool o) { return gather(o, 2, MPI_DOUBLE, size); }},
      Case{"a gather of less than nothing", [&](bool o) { return gather(o, -2, MPI_DOUBLE, 0); }},
      Case{"a gather of no type", [&](bool o) { return gather(o, 2, MPI_DATATYPE_NULL, 0); }},
      Case{"a scatter from nobody", [&](bool o) { return scatter(o, 2, MPI_DOUBLE, -7); }},
      Case{"a scatter of less than nothing", [&](bool o) { return scatter(o, -1, MPI_DOUBLE, 0); }},
      Case{"a scatter of no type", [&](bool o) { return scatter(o, 2, MPI_DATATYPE_NULL, 0); }},
      Case{"an allgather of less", [&](bool o) { return allgather(o, -1, MPI_DOUBLE); }},
      Case{"an allgather of no type", [&](bool o) { return allgather(o, 2, MPI_DATATYPE_NULL); }},
      Case{"an alltoall of less", [&](bool o) { return alltoall(o, -1, MPI_DOUBLE); }},
      Case{"an alltoall of no type", [&](bool o) { return alltoall(o, 2, MPI_DATATYPE_NULL); }},
      Case{"a reduce-scatter of less", [&](bool o) { return reduce_scatter(o, -1, MPI_SUM); }},
      Case{"a reduce-scatter of bits", [&](bool o) { return reduce_scatter(o, 2, MPI_BOR); }},
      Case{"a reduce-scatter by nothing",
           [&](bool o) { return reduce_scatter_block(o, MPI_DOUBLE, MPI_OP_NULL); }},
      Case{"a reduce-scatter of no type",
           [&](bool o) { return reduce_scatter_block(o, MPI_DATATYPE_NULL, MPI_SUM); }},
      Case{"a scan by nothing", [&](bool o) { return scan(o, 4, MPI_DOUBLE, MPI_OP_NULL); }},
      Case{"a scan of no type", [&](bool o) { return scan(o, 4, MPI_DATATYPE_NULL, MPI_SUM); }},
      Case{"an exscan of bits", [&](bool o) { return exscan(o, 4, MPI_DOUBLE, MPI_BAND); }},
      Case{"an exscan of no type",
           [&](bool o) { return exscan(o, 4, MPI_DATATYPE_NULL, MPI_SUM); }},
      Case{"a result in place",
           [&](bool o) { return allreduce(o, in.data(), MPI_IN_PLACE, 4, MPI_DOUBLE, MPI_SUM); }},
      Case{"blocks of a result in place", result_in_place},
      Case{"a scan into its place", scan_in_place},
      Case{"a broadcast of what is not committed",
           [&](bool o) { return bcast(o, in.data(), 1, untyped, 0); }},
      Case{"a gather of what is not committed", [&](bool o) { return gather(o, 1, untyped, 0); }},
      Case{"an allgather of what is not committed",
           [&](bool o) { return allgather(o, 1, untyped); }},
      Case{"an alltoall of what is not committed", [&](bool o) { return alltoall(o, 1, untyped); }},
  };
#if defined(OPEN_MPI)
  const Case in_place{"a broadcast in place",
                      [&](bool o) { return bcast(o, MPI_IN_PLACE, 4, MPI_DOUBLE, 0); }};
#endif
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // Open MPI calls that one for some
  works("nothing");
#if defined(OPEN_MPI)
  failures.expect(class_of(in_place.call(true)) == class_of(in_place.call(false)), in_place.name);
  works(in_place.name);
#endif
  for (const Case& one : cases) {
    const int native = class_of(one.call(false));
    const int ours = class_of(one.call(true));
    failures.expect(ours == native && native != MPI_SUCCESS,
                    std::string(one.name) + ": class " + std::to_string(ours) + ", native " +
                        std::to_string(native));
    works(one.name);
  }
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  for (const Case& one : cases) {
    handled = 0;
    one.call(true);
    failures.expect(handled == 1, std::string(one.name) + ": handler called " +
                                      std::to_string(handled) + " times");
  }
  MPI_Comm_free(&comm);
  MPI_Type_free(&untyped);
  // The handle of no communicator goes through MPI_COMM_WORLD's handler.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  failures.expect(class_of(MPI_Barrier(MPI_COMM_NULL)) == class_of(PMPI_Barrier(MPI_COMM_NULL)),
                  "barrier of nobody");
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
