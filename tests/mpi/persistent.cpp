// Persistent collectives along plans: started again and again, in other orders on other ranks,
// beside everything else. With --native 1 the same, natively.
#include "mpi/persistent.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <vector>

namespace espalier::mpi_test {
namespace {

bool is_native = false;

MPI_Request allreduce_of(const int* value, int* sum, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  PERSISTENT(Allreduce)(value, sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
  return request;
}

/// Each kind, ten times with other data; and that it has a plan.
void each_kind_again_and_again(Failures& failures) {
  const Members all;
  const auto size = static_cast<std::size_t>(all.size);
  int in = 0, out = -1;
  std::vector<int> many(size), more(size);
  std::vector<double> gaps(2000);
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Type_vector(1000, 1, 2, MPI_DOUBLE, &spread);
  MPI_Type_commit(&spread);
  struct Kind {
    std::string name;
    std::function<void(MPI_Request*)> init;
    std::function<bool(int)> is_right;
  };
  const MPI_Comm comm = all.comm;
  const MPI_Info none = MPI_INFO_NULL;
  const auto sum = [&](int i) { return all.sum() + all.size * i; };
  const auto is_root = [&] { return all.rank == 0; };
  std::vector<Kind> kinds{
      {"barrier",
       [&](MPI_Request* r) {
         PERSISTENT(Barrier)
         (comm, none, r);
       },
       [](int) { return true; }},
      {"bcast",
       [&](MPI_Request* r) {
         PERSISTENT(Bcast)
         (&in, 1, MPI_INT, 1, comm, none, r);
       },
       [&](int i) { return in == i + 1; }},
      {"bcast of gaps",
       [&](MPI_Request* r) {
         PERSISTENT(Bcast)
         (gaps.data(), 1, spread, 1, comm, none, r);
       },
       [&](int i) { return gaps[1998] == i + 1 && gaps[1999] == i + all.rank; }},
      {"allreduce",
       [&](MPI_Request* r) {
         PERSISTENT(Allreduce)(&in, &out, 1, MPI_INT, MPI_SUM, comm, none, r);
       },
       [&](int i) { return out == sum(i); }},
      {"allreduce in place",
       [&](MPI_Request* r) {
         PERSISTENT(Allreduce)(MPI_IN_PLACE, &in, 1, MPI_INT, MPI_SUM, comm, none, r);
       },
       [&](int i) { return in == sum(i); }},
      {"reduce",
       [&](MPI_Request* r) {
         PERSISTENT(Reduce)(&in, &out, 1, MPI_INT, MPI_SUM, 0, comm, none, r);
       },
       [&](int i) { return !is_root() || out == sum(i); }},
      {"scan",
       [&](MPI_Request* r) {
         PERSISTENT(Scan)
         (&in, &out, 1, MPI_INT, MPI_MAX, comm, none, r);
       },
       [&](int i) { return out == i + all.rank; }},
      {"gather",
       [&](MPI_Request* r) {
         PERSISTENT(Gather)(&in, 1, MPI_INT, many.data(), 1, MPI_INT, 0, comm, none, r);
       },
       [&](int i) { return !is_root() || many.back() == i + all.size - 1; }},
      {"scatter",
       [&](MPI_Request* r) {
         PERSISTENT(Scatter)(many.data(), 1, MPI_INT, &out, 1, MPI_INT, 0, comm, none, r);
       },
       [&](int i) { return out == i; }},
      {"allgather",
       [&](MPI_Request* r) {
         PERSISTENT(Allgather)(&in, 1, MPI_INT, more.data(), 1, MPI_INT, comm, none, r);
       },
       [&](int i) { return more.back() == i + all.size - 1 && more.front() == i; }},
      {"alltoall",
       [&](MPI_Request* r) {
         PERSISTENT(Alltoall)(many.data(), 1, MPI_INT, more.data(), 1, MPI_INT, comm, none, r);
       },
       [&](int i) { return more.back() == i + all.size - 1 && more.front() == i; }},
      {"reduce_scatter_block",
       [&](MPI_Request* r) {
         PERSISTENT(Reduce_scatter_block)(many.data(), &out, 1, MPI_INT, MPI_SUM, comm, none, r);
       },
       [&](int i) { return out == sum(i); }}};
  for (const Kind& kind : kinds) {
    MPI_Request request = MPI_REQUEST_NULL;
    kind.init(&request);
    if (!is_native) failures.expect(last_was_planned(), kind.name + ": " + last_text());
    int flag = 0;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    failures.expect(flag != 0 && request != MPI_REQUEST_NULL, "inactive " + kind.name);
    for (int i = 0; i < 10; ++i) {
      in = i + all.rank;
      out = -1;
      std::fill(many.begin(), many.end(), in);
      std::fill(more.begin(), more.end(), -1);
      std::fill(gaps.begin(), gaps.end(), in);
      MPI_Start(&request);
      wait(request);
      failures.expect(kind.is_right(i), kind.name + " " + std::to_string(i));
    }
    MPI_Request_free(&request);
    failures.expect(request == MPI_REQUEST_NULL, "freed " + kind.name);
  }
  MPI_Type_free(&spread);
}

/// Rank r starts them beginning with the r-th: MPI allows any order. Blocking and non-blocking
/// calls on the same communicator go on between.
void other_orders_on_other_ranks(Failures& failures) {
  const Members all;
  constexpr std::size_t kCalls = 5;
  std::array<int, kCalls> in{}, out{};
  std::array<MPI_Request, kCalls> requests{};
  for (std::size_t c = 0; c < kCalls; ++c) requests[c] = allreduce_of(&in[c], &out[c], all.comm);
  for (int i = 0; i < 20; ++i) {
    out.fill(-1);
    for (std::size_t c = 0; c < kCalls; ++c) in[c] = all.rank + i * static_cast<int>(c);
    for (std::size_t k = 0; k < kCalls; ++k) {
      MPI_Start(&requests[(k + static_cast<std::size_t>(all.rank)) % kCalls]);
    }
    int blocking = -1, pending = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&all.rank, &pending, 1, MPI_INT, MPI_SUM, all.comm, &request);
    MPI_Allreduce(&all.rank, &blocking, 1, MPI_INT, MPI_SUM, all.comm);
    MPI_Waitall(kCalls, requests.data(), MPI_STATUSES_IGNORE);
    wait(request);
    failures.expect(blocking == all.sum() && pending == all.sum(), "calls between");
    for (std::size_t c = 0; c < kCalls; ++c) {
      failures.expect(out[c] == all.sum() + all.size * i * static_cast<int>(c), "result");
    }
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

/// Together with persistent messages, and by MPI_Startall.
void started_with_messages(Failures& failures) {
  const Members all;
  const int next = (all.rank + 1) % all.size, before = (all.rank + all.size - 1) % all.size;
  int sent = 0, got = -1, sum = -1;
  std::array<MPI_Request, 3> requests{};
  MPI_Recv_init(&got, 1, MPI_INT, before, 3, all.comm, requests.data());
  requests[1] = allreduce_of(&sent, &sum, all.comm);
  MPI_Send_init(&sent, 1, MPI_INT, next, 3, all.comm, &requests[2]);
  for (int i = 0; i < 20; ++i) {
    sent = all.rank + i;
    MPI_Startall(3, requests.data());
    MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
    failures.expect(got == before + i && sum == all.sum() + all.size * i, "round");
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

/// Freed in other orders on other ranks, and made again; more than have channels of their own.
void made_and_freed(Failures& failures) {
  const Members all;
  for (int round = 0; round < 4; ++round) {
    std::vector<int> in(20, all.rank), out(20, -1);
    std::vector<MPI_Request> requests;
    for (std::size_t c = 0; c < 20; ++c) {
      requests.push_back(allreduce_of(&in[c], &out[c], all.comm));
    }
    MPI_Startall(20, requests.data());
    MPI_Waitall(20, requests.data(), MPI_STATUSES_IGNORE);
    for (const int one : out) failures.expect(one == all.sum(), "sum");
    std::rotate(requests.begin(), requests.begin() + all.rank, requests.end());
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  }
}

/// The program frees the communicator first.
void outlives_its_communicator(Failures& failures) {
  if (is_native) return;  // Open MPI's own calls crash
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const Members all(comm);
  int sum = -1;
  MPI_Request request = allreduce_of(&all.rank, &sum, comm);
  MPI_Comm_free(&comm);
  for (int i = 0; i < 3; ++i) {
    sum = -1;
    MPI_Start(&request);
    wait(request);
    failures.expect(sum == all.sum(), "sum");
  }
  MPI_Request_free(&request);
}

/// Far more starts than tags tell apart; one rank is ahead of the others.
void many_starts(Failures& failures) {
  const Members all;
  int data = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  PERSISTENT(Bcast)(&data, 1, MPI_INT, 0, all.comm, MPI_INFO_NULL, &request);
  const int starts = is_native ? 100 : 4200;
  for (int i = 0; i < starts; ++i) {
    data = all.rank == 0 ? i : -1;
    MPI_Start(&request);
    wait(request);
    failures.expect(data == i, "start " + std::to_string(i));
  }
  MPI_Request_free(&request);
}

/// Never freed, and one is never completed: MPI_Finalize ends nevertheless.
void left_behind(Failures& /*failures*/) {
  static int value = 1, sum = 0, other = 0;
  MPI_Request request = allreduce_of(&value, &sum, MPI_COMM_WORLD);
  MPI_Start(&request);
  static_cast<void>(allreduce_of(&value, &other, MPI_COMM_WORLD));
}

int run(int argc, char** argv) {
  Failures failures;
  is_native = option(argc, argv, "--native", 0) != 0;
  using Case = void (*)(Failures&);
  const std::vector<std::pair<std::string, Case>> cases{
      {"each_kind_again_and_again", each_kind_again_and_again},
      {"other_orders_on_other_ranks", other_orders_on_other_ranks},
      {"started_with_messages", started_with_messages},
      {"made_and_freed", made_and_freed},
      {"outlives_its_communicator", outlives_its_communicator},
      {"many_starts", many_starts},
      {"left_behind", left_behind}};
  for (const auto& [name, act] : cases) {
    if (is_native && act == left_behind) continue;
    const int before = failures.count();
    act(failures);
    if (failures.count() != before) std::fprintf(stderr, "in %s\n", name.c_str());
  }
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
