// Non-blocking collectives that are measured, on a machine with a far link that was named:
// native and planned calls take turns, requests of both mix with others, and the ranks decide in
// calls that block. What they decide depends on clocks; where it is looked at, a rank is late to
// calls of one kind.
#include <array>
#include <chrono>
#include <thread>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

constexpr int kTurns = 24, kPlannedOfTurns = 12;

std::uint64_t count(const char* name) { return espalier_query_count(name); }

struct Ranks {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0;
  int size = 1;
  explicit Ranks(MPI_Comm of) : comm(of) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  [[nodiscard]] int sum() const { return size * (size - 1) / 2; }
};

/// The first calls that gain make the hidden communicator. They are too few for a trial of theirs.
void join(const Ranks& all) {
  int value = all.rank, sum = 0;
  for (int i = 0; i < 3; ++i) MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, all.comm);
}

void wait(MPI_Request& request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

int start_and_wait(const Ranks& all, int round) {
  const int value = all.rank + round;
  int sum = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, all.comm, &request);
  wait(request);
  return sum - all.size * round;
}

/// On a communicator of its own.
void say_what_is_missing(Failures& failures, bool is_off) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const Ranks all(copy);
  const auto expect = [&](const std::string& text) {
    failures.expect(start_and_wait(all, 1) == all.sum(), "sum");
    failures.expect(!last_was_planned() && last_text() == (is_off ? "non-blocking" : text), text);
  };
  expect("non-blocking, no blocking call was planned on its communicator before");
  join(all);
  expect("timed beside the plans");
  MPI_Comm_free(&copy);
}

void take_turns(Failures& failures, bool is_off) {
  const Ranks all(MPI_COMM_WORLD);
  join(all);
  const std::uint64_t before = count("planned");
  const std::uint64_t passed = count("native.MPI_Iallreduce");
  for (int i = 0; i < kTurns; ++i) failures.expect(start_and_wait(all, i) == all.sum(), "sum");
  const std::uint64_t planned = is_off ? 0 : kPlannedOfTurns;
  failures.expect(count("planned") - before == planned, "planned starts");
  failures.expect(count("native.MPI_Iallreduce") - passed == kTurns - planned, "native starts");
  // Until a call blocks nothing is decided, and all are native.
  for (int i = 0; i < 50; ++i) {
    failures.expect(start_and_wait(all, i) == all.sum(), "sum after turns");
    failures.expect(!last_was_planned(), "native until the ranks agree");
  }
}

/// ESPALIER_NONBLOCKING=1: all starts go the way that is predicted, or was decided, for calls that
/// block; nothing is compared.
void plan_all(Failures& failures) {
  const Ranks all(MPI_COMM_WORLD);
  join(all);
  for (int i = 0; i < 3 * kTurns; ++i) {
    failures.expect(start_and_wait(all, i) == all.sum(), "sum of planned starts");
    failures.expect(last_was_planned(), "start " + std::to_string(i) + " is planned");
    if (i % 5 == 4) join(all);
  }
}

/// Whether a start of the turns goes along the plan.
bool is_planned_turn(int number) { return number >= kTurns / 4 && number < kTurns / 4 * 3; }

/// All ranks wait for one that is late to native calls, or to planned ones: what is faster by far
/// is kept, after a single call that blocks.
void keep_the_faster(Failures& failures, bool is_plan_faster) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const Ranks all(copy);
  join(all);
  for (int i = 0; i < kTurns; ++i) {
    const bool is_late = is_planned_turn(i) != is_plan_faster;
    if (all.rank == 0 && is_late) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    failures.expect(start_and_wait(all, i) == all.sum(), "sum of turns");
    failures.expect(last_was_planned() == is_planned_turn(i), "turn " + std::to_string(i));
  }
  for (int i = 0; i < 5; ++i) {
    failures.expect(start_and_wait(all, i) == all.sum(), "sum before the decision");
    failures.expect(!last_was_planned(), "native before the decision");
  }
  MPI_Barrier(copy);
  for (int i = 0; i < 20; ++i) {
    failures.expect(start_and_wait(all, i) == all.sum(), "sum after the decision");
    failures.expect(last_was_planned() == is_plan_faster, "the faster one is kept");
    if (i == 10) MPI_Barrier(copy);
  }
  MPI_Comm_free(&copy);
}

/// Rank 0 starts more calls than are compared, and than go on the wire at once, before the others
/// start their first: the agreement stands between them, and nobody waits for it.
void agree_far_ahead(Failures& failures) {
  constexpr std::size_t kCalls = 3000;
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const Ranks all(copy);
  join(all);
  std::vector<int> sums(kCalls);
  std::vector<MPI_Request> requests(kCalls);
  for (int round = 0; round < 2; ++round) {
    int token = 0;
    if (all.rank != 0) MPI_Recv(&token, 1, MPI_INT, 0, 5, copy, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < kCalls; ++i) {
      MPI_Iallreduce(&all.rank, &sums[i], 1, MPI_INT, MPI_SUM, copy, &requests[i]);
    }
    for (int r = 1; r < all.size && all.rank == 0; ++r) MPI_Send(&token, 1, MPI_INT, r, 5, copy);
    if (round == 1) MPI_Barrier(copy);  // beside all of them
    MPI_Waitall(static_cast<int>(kCalls), requests.data(), MPI_STATUSES_IGNORE);
    for (const int sum : sums) failures.expect(sum == all.sum(), "sum far ahead");
    int planned = last_was_planned() ? 1 : 0, all_planned = 0;
    MPI_Allreduce(&planned, &all_planned, 1, MPI_INT, MPI_SUM, copy);
    failures.expect(all_planned == planned * all.size, "all ranks decide alike");
  }
  MPI_Comm_free(&copy);
}

/// The ranks agree there, and later starts go on, natively or not.
void decide(Failures& failures) {
  const Ranks all(MPI_COMM_WORLD);
  for (int i = 0; i < 8; ++i) MPI_Barrier(all.comm);
  for (int i = 0; i < 20; ++i) failures.expect(start_and_wait(all, i) == all.sum(), "decided");
}

/// Native requests that are ours in the meantime: in every function that takes requests, together,
/// and beside messages.
void mix(Failures& failures) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const Ranks all(copy);
  join(all);
  for (int round = 0; round < 3 * kTurns; ++round) {
    std::array<int, 2> values{all.rank, all.rank + 1}, sums{-1, -1};
    std::array<MPI_Request, 4> requests{};
    int token = round, got = -1;
    const int next = (all.rank + 1) % all.size, before = (all.rank + all.size - 1) % all.size;
    MPI_Irecv(&got, 1, MPI_INT, before, 1, copy, requests.data());
    MPI_Iallreduce(values.data(), sums.data(), 1, MPI_INT, MPI_SUM, copy, &requests[1]);
    MPI_Isend(&token, 1, MPI_INT, next, 1, copy, &requests[2]);
    MPI_Iallreduce(&values[1], &sums[1], 1, MPI_INT, MPI_SUM, copy, &requests[3]);
    int flag = 0, index = 0;
    MPI_Request_get_status(requests[1], &flag, MPI_STATUS_IGNORE);
    if (round % 3 == 0) {
      while (flag == 0) MPI_Testall(4, requests.data(), &flag, MPI_STATUSES_IGNORE);
      MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    } else if (round % 3 == 1) {
      for (int i = 0; i < 4; ++i) MPI_Waitany(4, requests.data(), &index, MPI_STATUS_IGNORE);
    } else {
      MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
      MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    }
    failures.expect(got == round && sums[0] == all.sum() && sums[1] == all.sum() + all.size,
                    "round " + std::to_string(round));
    for (const MPI_Request request : requests) failures.expect(request == MPI_REQUEST_NULL, "null");
  }
  MPI_Comm_free(&copy);
}

/// Rank 0 starts all turns before the others start their first: starts never wait.
void all_before_a_send(Failures& failures) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const Ranks all(copy);
  join(all);
  std::array<int, kTurns> sums{};
  std::array<MPI_Request, kTurns> requests{};
  int token = 0;
  if (all.rank != 0) MPI_Recv(&token, 1, MPI_INT, 0, 5, copy, MPI_STATUS_IGNORE);
  for (std::size_t i = 0; i < kTurns; ++i) {
    MPI_Iallreduce(&all.rank, &sums[i], 1, MPI_INT, MPI_SUM, copy, &requests[i]);
  }
  for (int r = 1; r < all.size && all.rank == 0; ++r) MPI_Send(&token, 1, MPI_INT, r, 5, copy);
  MPI_Waitall(kTurns, requests.data(), MPI_STATUSES_IGNORE);
  for (const int sum : sums) failures.expect(sum == all.sum(), "sum");
  for (int i = 0; i < 8; ++i) MPI_Barrier(copy);
  failures.expect(start_and_wait(all, 1) == all.sum(), "sum later");
  MPI_Comm_free(&copy);
}

/// The communicator is freed with native calls of ours under way; they are waited for.
void freed_with_calls_under_way(Failures& failures) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const Ranks all(copy);
  join(all);
  std::array<int, 4> sums{};
  std::array<MPI_Request, 4> requests{};
  for (std::size_t i = 0; i < 4; ++i) {
    MPI_Iallreduce(&all.rank, &sums[i], 1, MPI_INT, MPI_SUM, copy, &requests[i]);
  }
  MPI_Comm_free(&copy);
  MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  for (const int sum : sums) failures.expect(sum == all.sum(), "sum");
}

/// Never completed: MPI_Finalize ends nevertheless.
void left_behind() {
  static int value = 1;
  static std::array<int, 2> sums{};
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  join(Ranks(copy));
  MPI_Request request = MPI_REQUEST_NULL;
  for (int& sum : sums) {
    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, copy, &request);
  }
}

int run(int argc, char** argv) {
  Failures failures;
  if (option(argc, argv, "--all", 0) != 0) {
    plan_all(failures);
    return failures.exit_code();
  }
  const bool is_off = option(argc, argv, "--off", 0) != 0;
  say_what_is_missing(failures, is_off);
  take_turns(failures, is_off);
  decide(failures);
  mix(failures);
  if (!is_off) {
    keep_the_faster(failures, true);
    keep_the_faster(failures, false);
  }
  agree_far_ahead(failures);
  all_before_a_send(failures);
  if (!is_off) {  // Open MPI's own calls crash
    freed_with_calls_under_way(failures);
    left_behind();
  }
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
