// The life of the recorder, and its clocks.
#include "record/recorder.hpp"

#include <sched.h>
#include <time.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <type_traits>

#include "base/file_descriptor.hpp"
#include "front/variant.h"
#include "mpi/self_test.hpp"
#include "pmpi/next_function.hpp"
#include "record/notes.hpp"

namespace espalier::record {

std::atomic<Recorder*> the_recorder{nullptr};

namespace {

/// What one thread measures computation by.
struct Clock {
  int depth = 0;
  std::int64_t left = -1;      ///< when its last call ended; -1: it has made none
  Time computed;               ///< time computed since the last recorded action
  bool in_collective = false;  ///< the present call runs, starts or completes a collective
};
constinit thread_local Clock clock_of_thread;

std::int64_t nanoseconds_of(clockid_t which) {
  timespec now{};
  clock_gettime(which, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
std::int64_t now() { return nanoseconds_of(CLOCK_MONOTONIC); }
/// What computation is measured by.
std::int64_t worked(const Recorder& recorder) {
  return recorder.counts_processor_time ? nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) : now();
}

/// Whether processes of this node have to share the cores that they may use together: a batch
/// system or a container may have given them fewer than the node has. Collective.
bool is_crowded(MPI_Comm world) {
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  if (node == MPI_COMM_NULL) return false;
  int processes = 1;
  PMPI_Comm_size(node, &processes);
  cpu_set_t mine, all;
  CPU_ZERO(&mine);
  CPU_ZERO(&all);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) std::memset(&mine, 0xff, sizeof mine);
  const int code = PMPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, node);
  PMPI_Comm_free(&node);
  return code == MPI_SUCCESS && processes > CPU_COUNT(&all);
}

int forget_communicator(MPI_Comm comm, int /*keyval*/, void* /*value*/, void* /*state*/) {
  const Locked recorder;
  if (!recorder) return MPI_SUCCESS;
  recorder->last = nullptr;
  recorder->communicators.erase(in_register(comm));
  return MPI_SUCCESS;
}
/// Ends the recording where MPI_Finalize does not come through us.
int end_at_last(MPI_Comm /*comm*/, int /*keyval*/, void* /*value*/, void* /*state*/) {
  end();
  return MPI_SUCCESS;
}

void start(const char* file) {
  int size = 0, me = 0, level = MPI_THREAD_SINGLE;
  MPI_Comm own = MPI_COMM_NULL;
  if (PMPI_Comm_dup(MPI_COMM_WORLD, &own) != MPI_SUCCESS) return;
  PMPI_Comm_size(own, &size);
  PMPI_Comm_rank(own, &me);
  PMPI_Query_thread(&level);
  auto recorder = std::make_unique<Recorder>(own, static_cast<Rank>(me), static_cast<Rank>(size),
                                             std::string(file));
  recorder->has_threads = level == MPI_THREAD_MULTIPLE;
  recorder->counts_processor_time = is_crowded(own);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_communicator, &recorder->keyval, nullptr);
  int last = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_at_last, &last, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, last, nullptr);
  PMPI_Comm_free_keyval(&last);
  clock_of_thread.left = worked(*recorder);
  recorder->began = now();
  the_recorder.store(recorder.release());
}

}  // namespace

Recorder::Recorder(MPI_Comm own, Rank me, Rank size, std::string path)
    : own_world(own), file(std::move(path)), recording(me, size) {}

bool is_recording() { return the_recorder.load(std::memory_order_acquire) != nullptr; }

void begin() {
  static constinit std::atomic<bool> tried{false};  // Fortran's MPI_Init may call that of C
  const char* const told = std::getenv("ESPALIER_PROFILE");
  const std::string file = told == nullptr ? "" : told;
  int is_initialized = 0, me = 0;
  PMPI_Initialized(&is_initialized);
  if (is_initialized == 0 || tried.exchange(true)) return;
  const mpi::SelfTest found = mpi::test_mpi();
  if (!found.can_talk) return pmpi::withdraw(found.wrong);
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  // All are asked, told of a file or not: what rank 0 was told holds, and a recording needs all.
  std::array<std::uint64_t, ESPALIER_PROFILE_NUMBERS> own{}, least{};
  own[ESPALIER_PROFILE_FIT] = found.wrong == nullptr ? 1 : 0;
  own[ESPALIER_PROFILE_FIRST] = me != 0 || !file.empty() ? 1 : 0;
  own[ESPALIER_PROFILE_NOBODY] = file.empty() ? 1 : 0;
  PMPI_Allreduce(own.data(), least.data(), ESPALIER_PROFILE_NUMBERS, MPI_UINT64_T, MPI_MIN,
                 MPI_COMM_WORLD);
  if (least[ESPALIER_PROFILE_NOBODY] != 0) return;
  // A spawned program has the variable too: the profile is that of the one which was started.
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return;
  if (least[ESPALIER_PROFILE_FIRST] == 0) {
    if (me == 0) write_message(ESPALIER_PROFILE_NOT_ON_FIRST);
    return;
  }
  if (least[ESPALIER_PROFILE_FIT] == 0) {
    if (me == 0) write_message(ESPALIER_NO_PROFILE);
    return pmpi::withdraw(found.wrong);
  }
  try {
    start(file.c_str());
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "espalier: no profile is recorded: %s\n", wrong.what());
  }
}

void end() {
  const std::unique_ptr<Recorder> recorder(the_recorder.exchange(nullptr));
  if (!recorder) return;
  if (clock_of_thread.left >= 0) {
    recorder->recording.compute(nanoseconds(worked(*recorder) - clock_of_thread.left));
  }
  recorder->recording.run_for(nanoseconds(now() - recorder->began));
  try {
    write_profile(*recorder);
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "espalier: no profile is written: %s\n", wrong.what());
  }
  MPI_Comm own = recorder->own_world;
  PMPI_Comm_free(&own);
}

Call::Call() {
  Clock& clock = clock_of_thread;
  counts_ = clock.depth++ == 0;
  const Recorder* recorder = the_recorder.load(std::memory_order_acquire);
  if (!counts_ || recorder == nullptr) return;
  entered_ = now();
  if (clock.left < 0) return;
  const std::int64_t at = recorder->counts_processor_time ? worked(*recorder) : entered_;
  if (at > clock.left) clock.computed += nanoseconds(at - clock.left);
}

Call::~Call() {
  Clock& clock = clock_of_thread;
  --clock.depth;
  if (!counts_) return;
  const Locked recorder;
  if (!recorder) return;
  const std::int64_t at = now();
  recorder->recording.spend_in_mpi(nanoseconds(at - entered_), clock.in_collective);
  clock.in_collective = false;
  clock.left = recorder->counts_processor_time ? worked(*recorder) : at;
}

void Recorder::is_in_collective() { clock_of_thread.in_collective = true; }

void Recorder::take_computation() {
  recording.compute(clock_of_thread.computed);
  clock_of_thread.computed = Time{};
}

}  // namespace espalier::record
