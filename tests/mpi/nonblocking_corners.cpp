// Non-blocking collectives in the corners of MPI: other threads complete them, one-sided epochs and
// native collectives are under way beside them, requests are looked at and freed. With
// MPI_THREAD_MULTIPLE (--multiple 1) all are native.
#include <array>
#include <functional>
#include <thread>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

struct Members {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0;
  int size = 1;
  Members() {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  [[nodiscard]] int sum() const { return size * (size - 1) / 2; }
  [[nodiscard]] int next() const { return (rank + 1) % size; }
};

void in_another_thread(const std::function<void()>& act) { std::thread(act).join(); }

/// A request started here is completed there, and the other way round. One thread at a time is in
/// MPI.
void completed_by_another_thread(Failures& failures) {
  const Members all;
  for (int i = 0; i < 20; ++i) {
    int sum = -1;
    std::vector<int> data(5000, all.rank == i % all.size ? i : -1);
    std::array<MPI_Request, 2> requests{};
    MPI_Iallreduce(&all.rank, &sum, 1, MPI_INT, MPI_SUM, all.comm, requests.data());
    in_another_thread([&] {
      MPI_Ibcast(data.data(), 5000, MPI_INT, i % all.size, all.comm, &requests[1]);
      MPI_Wait(requests.data(), MPI_STATUS_IGNORE);
    });
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    failures.expect(sum == all.sum() && data.back() == i, "call " + std::to_string(i));
  }
}

/// Each thread has a communicator. All of them wait at once only with MPI_THREAD_MULTIPLE.
void threads_at_once(Failures& failures) {
  const Members all;
  std::array<MPI_Comm, 3> comms{};
  for (MPI_Comm& comm : comms) MPI_Comm_dup(all.comm, &comm);
  std::array<int, 3> wrong{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < comms.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 30; ++i) {
        int sum = -1, again = -1;
        std::array<MPI_Request, 2> requests{};
        MPI_Iallreduce(&all.rank, &sum, 1, MPI_INT, MPI_SUM, comms[t], requests.data());
        MPI_Iallreduce(&all.rank, &again, 1, MPI_INT, MPI_MAX, comms[t], &requests[1]);
        MPI_Allreduce(MPI_IN_PLACE, &wrong[t], 1, MPI_INT, MPI_MAX, comms[t]);
        MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
        if (sum != all.sum() || again != all.size - 1) wrong[t] = 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < comms.size(); ++t) {
    failures.expect(wrong[t] == 0, "thread " + std::to_string(t));
    MPI_Comm_free(&comms[t]);
  }
}

/// Locks, fences and post-start-complete-wait, with calls under way across their borders.
void one_sided_epochs(Failures& failures) {
  const Members all;
  int* memory = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, all.comm, &memory, &window);
  std::fill_n(memory, 4, 0);
  MPI_Barrier(all.comm);
  MPI_Group whole = MPI_GROUP_NULL, target = MPI_GROUP_NULL, origin = MPI_GROUP_NULL;
  MPI_Comm_group(all.comm, &whole);
  const int next = all.next(), before = (all.rank + all.size - 1) % all.size;
  MPI_Group_incl(whole, 1, &next, &target);
  MPI_Group_incl(whole, 1, &before, &origin);
  for (int i = 1; i <= 10; ++i) {
    std::vector<double> sums(2000, -1);
    const std::vector<double> own(2000, all.rank);
    std::array<MPI_Request, 3> requests{};
    int one = 1, put = 100 * i + all.rank, data = all.rank == 0 ? i : -1;
    MPI_Iallreduce(own.data(), sums.data(), 2000, MPI_DOUBLE, MPI_SUM, all.comm, requests.data());
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
    MPI_Accumulate(&one, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Ibcast(&data, 1, MPI_INT, 0, all.comm, &requests[1]);
    MPI_Win_flush(next, window);
    MPI_Win_unlock(next, window);
    MPI_Win_post(origin, 0, window);
    MPI_Win_start(target, 0, window);
    MPI_Put(&put, 1, MPI_INT, next, 1, 1, MPI_INT, window);
    MPI_Ibarrier(all.comm, &requests[2]);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    failures.expect(memory[1] == 100 * i + before, "put");
    MPI_Win_fence(0, window);
    MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
    MPI_Win_fence(0, window);
    failures.expect(memory[0] == i, "accumulated");
    failures.expect(sums.back() == all.sum() && data == i, "collectives");
    MPI_Barrier(all.comm);  // the next round changes it
  }
  for (MPI_Group* group : {&whole, &target, &origin}) MPI_Group_free(group);
  MPI_Win_free(&window);
}

/// Calls of the MPI library itself on the same communicator, started before, between and after.
void native_calls_beside(Failures& failures) {
  const Members all;
  for (int i = 0; i < 10; ++i) {
    std::array<std::vector<int>, 6> data;
    std::array<MPI_Request, 6> requests{};
    for (std::size_t k = 0; k < data.size(); ++k) {
      const int root = static_cast<int>(k) % all.size;
      data[k].assign(k < 3 ? 9000 : 3, all.rank == root ? i : -1);
      auto* const start = k % 2 == 0 ? PMPI_Ibcast : MPI_Ibcast;
      start(data[k].data(), static_cast<int>(data[k].size()), MPI_INT, root, all.comm,
            &requests[k]);
    }
    PMPI_Barrier(all.comm);
    for (std::size_t k = 6; k-- > 0;) MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
    for (const auto& one : data) failures.expect(one.back() == i, "round " + std::to_string(i));
  }
}

/// MPI_Request_get_status leaves the request, also when the call has ended.
void looked_at_often(Failures& failures) {
  const Members all;
  for (int i = 0; i < 10; ++i) {
    int sum = -1, flag = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&all.rank, &sum, 1, MPI_INT, MPI_SUM, all.comm, &request);
    while (flag == 0) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    failures.expect(sum == all.sum() && request != MPI_REQUEST_NULL, "the first look");
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    failures.expect(flag != 0, "the second look");
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    failures.expect(flag != 0 && request == MPI_REQUEST_NULL, "completed");
  }
}

/// MPI forbids it, but does not say what happens: the call goes on, and later ones are right.
void freed_requests(Failures& failures) {
  const Members all;
  std::vector<std::vector<int>> data(20, std::vector<int>(100, -1));
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (all.rank == 0) data[i].assign(100, static_cast<int>(i));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(data[i].data(), 100, MPI_INT, 0, all.comm, &request);
    MPI_Request_free(&request);
    failures.expect(request == MPI_REQUEST_NULL, "freed");
    int sum = -1;
    MPI_Iallreduce(&all.rank, &sum, 1, MPI_INT, MPI_SUM, all.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    failures.expect(sum == all.sum(), "a later call");
  }
  MPI_Request last = MPI_REQUEST_NULL;
  MPI_Ibarrier(all.comm, &last);
  MPI_Wait(&last, MPI_STATUS_IGNORE);
  // Freed ones have ended when the communicator's calls after them have, on ranks that polled.
  for (int i = 0; i < 1'000'000 && data.back().back() != 19; ++i) {
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, 77, all.comm, &flag, MPI_STATUS_IGNORE);
  }
  failures.expect(data.back().back() == 19, "the freed calls");
}

/// MPICH ends MPI_Comm_idup in whatever call looks for messages, by a collective that blocks. That
/// may be a call of ours, while planned calls go on: they are many here, and cannot end before rank
/// 0 starts them.
void communicators_made_beside(Failures& failures) {
  constexpr std::size_t kCalls = 50;
  const Members all;
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(all.comm, &copy);
  for (int round = 0; round < 20; ++round) {
    std::array<int, kCalls> sums{};
    std::array<MPI_Request, kCalls> requests{};
    const auto start = [&] {
      for (std::size_t i = 0; i < kCalls; ++i) {
        MPI_Iallreduce(&all.rank, &sums[i], 1, MPI_INT, MPI_SUM, all.comm, &requests[i]);
      }
    };
    if (all.rank != 0) start();
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_idup(copy, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (all.rank == 0) start();
    MPI_Waitall(static_cast<int>(kCalls), requests.data(), MPI_STATUSES_IGNORE);
    for (const int sum : sums) failures.expect(sum == all.sum(), "beside MPI_Comm_idup");
    MPI_Comm_free(&made);
  }
  MPI_Comm_free(&copy);
}

int run(bool is_multiple, bool is_native) {
  Failures failures;
  const Members all;
  MPI_Barrier(all.comm);
  int sum = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&all.rank, &sum, 1, MPI_INT, MPI_SUM, all.comm, &request);
  failures.expect(last_was_planned() == !is_native, "planned or native");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  completed_by_another_thread(failures);
  if (is_multiple) threads_at_once(failures);
  one_sided_epochs(failures);
  native_calls_beside(failures);
  looked_at_often(failures);
  communicators_made_beside(failures);
  if (!is_native) freed_requests(failures);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  using namespace espalier::mpi_test;
  const bool is_multiple = option(argc, argv, "--multiple", 0) != 0;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, is_multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED,
                  &provided);
  const bool is_native = is_multiple || option(argc, argv, "--native", 0) != 0;
  const int code = run(is_multiple, is_native);
  MPI_Finalize();
  return code;
}
