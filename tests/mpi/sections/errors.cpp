// Wrong arguments under error handlers that return, throw or jump. All ranks make the same mistake,
// and MPI finds it before it sends anything; afterwards the communicator works.
#include <array>
#include <csetjmp>

#include "mpi/sections/steps.hpp"

namespace espalier::sections {
namespace {

constexpr std::size_t kMostRanks = 64;
std::array<double, 4 * kMostRanks> in_buffer{}, out_buffer{};  // nothing that a jump would leak
std::array<int, kMostRanks> some_counts{}, some_displs{};

int handled_code = MPI_SUCCESS;
int handled_times = 0;
std::jmp_buf way_back;

struct Thrown {
  int code;
};

void returning_handler(MPI_Comm*, int* code, ...) {
  handled_code = *code;
  ++handled_times;
}
void throwing_handler(MPI_Comm*, int* code, ...) {
  ++handled_times;
  throw Thrown{*code};
}
void jumping_handler(MPI_Comm*, int* code, ...) {
  handled_code = *code;
  ++handled_times;
  std::longjmp(way_back, 1);
}

int wrong_rooted(const Section& section, std::uint64_t which) {
  double* in = in_buffer.data();
  double* out = out_buffer.data();
  const MPI_Comm comm = section.comm;
  switch (which) {
    case 0:
      return MPI_Bcast(in, 4, MPI_DOUBLE, section.size, comm);
    case 1:
      return MPI_Bcast(in, -1, MPI_DOUBLE, 0, comm);
    case 2:
      return MPI_Bcast(in, 4, MPI_DATATYPE_NULL, 0, comm);
    case 3:
      return MPI_Reduce(in, out, 4, MPI_DOUBLE, MPI_SUM, section.size + 3, comm);
    case 4:
      return MPI_Reduce(in, out, 4, MPI_DOUBLE, MPI_OP_NULL, 0, comm);
    case 5:
      return MPI_Gather(in, 2, MPI_DOUBLE, out, 2, MPI_DOUBLE, section.size, comm);
    case 6:
      return MPI_Scatter(in, 2, MPI_DOUBLE, out, 2, MPI_DOUBLE, -7, comm);
    case 7:
      return MPI_Gatherv(in, 1, MPI_DOUBLE, out, some_counts.data(), some_displs.data(), MPI_DOUBLE,
                         section.size + 1, comm);
    case 8:
      return MPI_Scatterv(in, some_counts.data(), some_displs.data(), MPI_DOUBLE, out, 1,
                          MPI_DOUBLE, -9, comm);
    default:
      return MPI_Gather(in, 2, MPI_DATATYPE_NULL, out, 2, MPI_DATATYPE_NULL, 0, comm);
  }
}

int wrong_of_all(const Section& section, std::uint64_t which) {
  double* in = in_buffer.data();
  double* out = out_buffer.data();
  const MPI_Comm comm = section.comm;
  MPI_Comm made = MPI_COMM_NULL;
  const int too_many = section.size + 1, periodic = 0;
  switch (which) {
    case 0:
      return MPI_Allreduce(in, out, 4, MPI_DOUBLE, MPI_OP_NULL, comm);
    case 1:
      return MPI_Allreduce(in, out, 4, MPI_DOUBLE, MPI_BAND, comm);
    case 2:
      return MPI_Allreduce(in, out, 4, MPI_DATATYPE_NULL, MPI_SUM, comm);
    case 3:
      return MPI_Allgather(in, -1, MPI_DOUBLE, out, -1, MPI_DOUBLE, comm);
    case 4:
      return MPI_Alltoall(in, 2, MPI_DATATYPE_NULL, out, 2, MPI_DATATYPE_NULL, comm);
    case 5:
      return MPI_Reduce_scatter_block(in, out, 2, MPI_DOUBLE, MPI_OP_NULL, comm);
    case 6:
      return MPI_Scan(in, out, 4, MPI_DATATYPE_NULL, MPI_SUM, comm);
    case 7:
      return MPI_Allgatherv(in, -3, MPI_DOUBLE, out, some_counts.data(), some_displs.data(),
                            MPI_DOUBLE, comm);
    case 8:
      return MPI_Cart_create(comm, 1, &too_many, &periodic, 0, &made);
    default:
      return MPI_Send(in, 1, MPI_DOUBLE, section.size + 5, 0, comm);
  }
}

/// Sets a handler for as long as `body` runs.
template <typename Body>
void under(MPI_Comm_errhandler_function* function, Section& section, const Body& body) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL, before = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(section.comm, &before);
  MPI_Comm_create_errhandler(function, &handler);
  MPI_Comm_set_errhandler(section.comm, handler);
  handled_times = 0;
  handled_code = MPI_SUCCESS;
  body();
  section.digest.add(static_cast<std::uint64_t>(handled_times));
  MPI_Comm_set_errhandler(section.comm, before);
  MPI_Errhandler_free(&handler);
  MPI_Errhandler_free(&before);
}

/// MPICH 4.0.2 with MPI_THREAD_MULTIPLE, without the library: after a handler that does not come
/// back the next call ends in an assertion ("allgather.c at line 39: 0"). Each rank may choose for
/// itself: the calls are the same.
bool must_return([[maybe_unused]] const Section& section) {
#ifdef OPEN_MPI
  return false;
#else
  return section.thread_level == MPI_THREAD_MULTIPLE;
#endif
}

/// A function of its own: nothing in it may be lost by the jump.
bool jumps(Section& section, Random& random) {
  if (setjmp(way_back) != 0) return true;
  wrong_call(section, random);
  return false;
}

void throws(Section& section, Random& random) {
  try {
    section.note(wrong_call(section, random));
  } catch (const Thrown& thrown) {
    section.note(thrown.code);
    section.digest.add(1);
  }
}

}  // namespace

int wrong_call(Section& section, Random& random) {
  const auto which = random.below(20);
  section.say("wrong call " + std::to_string(which));
  return which < 10 ? wrong_rooted(section, which) : wrong_of_all(section, which - 10);
}

void step_error_returned(Section& section, Random& random) {
  Random inner(random.next());
  under(returning_handler, section, [&] {
    section.note(wrong_call(section, random));
    any_blocking_step(section, inner);
    section.note(wrong_call(section, random));
  });
}

void step_error_thrown(Section& section, Random& random) {
  if (must_return(section)) return step_error_returned(section, random);
  Random inner(random.next());
  under(throwing_handler, section, [&] {
    throws(section, random);
    any_blocking_step(section, inner);
    throws(section, random);
  });
}

void step_error_jumped(Section& section, Random& random) {
  if (must_return(section)) return step_error_returned(section, random);
  Random inner(random.next());
  under(jumping_handler, section, [&] {
    section.digest.add(jumps(section, random) ? 1 : 0);
    section.note(handled_code);
    any_blocking_step(section, inner);
    section.digest.add(jumps(section, random) ? 1 : 0);
  });
}

void step_fatal(Section& section, Random& random) {
  MPI_Comm_set_errhandler(section.comm, MPI_ERRORS_ARE_FATAL);
  wrong_call(section, random);
}

void step_uncaught(Section& section, Random& random) {
  under(throwing_handler, section, [&] { wrong_call(section, random); });
}

}  // namespace espalier::sections
