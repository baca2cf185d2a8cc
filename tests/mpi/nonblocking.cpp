// Non-blocking collectives along plans: they mix with everything that MPI lets them mix with, and
// go on inside any call of MPI. Each case by its name; results are checked.
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

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

void wait(MPI_Request& request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

/// Calls that do not block are native until one that blocks has made the hidden communicator.
void join(MPI_Comm comm) { MPI_Barrier(comm); }

/// Rank 0 starts five and then sends what the others receive before they start their first.
void five_broadcasts_then_send(Failures& failures) {
  const Ranks all(MPI_COMM_WORLD);
  std::array<int, 5> data{};
  std::array<MPI_Request, 5> requests{};
  int token = all.rank;
  const auto start_all = [&] {
    for (std::size_t i = 0; i < 5; ++i) {
      data[i] = all.rank == 0 ? 10 + static_cast<int>(i) : -1;
      MPI_Ibcast(&data[i], 1, MPI_INT, 0, all.comm, &requests[i]);
    }
  };
  if (all.rank == 0) {
    start_all();
    for (int r = 1; r < all.size; ++r) MPI_Send(&token, 1, MPI_INT, r, 7, all.comm);
  } else {
    MPI_Recv(&token, 1, MPI_INT, 0, 7, all.comm, MPI_STATUS_IGNORE);
    start_all();
  }
  MPI_Waitall(5, requests.data(), MPI_STATUSES_IGNORE);
  for (int i = 0; i < 5; ++i) failures.expect(data[static_cast<std::size_t>(i)] == 10 + i, "data");
}

/// One waits inside the call, the other outside: the call must go on inside MPI_Recv.
void goes_on_inside_receive(Failures& failures) {
  const Ranks all(MPI_COMM_WORLD);
  for (int late = 0; late < all.size; ++late) {
    int value = all.rank, sum = -1, token = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, all.comm, &request);
    if (all.rank == late) {
      for (int r = 0; r < all.size; ++r) {
        if (r != late) MPI_Recv(&token, 1, MPI_INT, r, 3, all.comm, MPI_STATUS_IGNORE);
      }
      wait(request);
    } else {
      wait(request);
      MPI_Send(&token, 1, MPI_INT, late, 3, all.comm);
    }
    failures.expect(sum == all.sum(), "sum");
  }
}

/// Likewise inside probes, synchronous sends, native collectives, and one-sided synchronisation.
void goes_on_inside_other_calls(Failures& failures) {
  const Ranks all(MPI_COMM_WORLD);
  int* memory = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, all.comm, &memory, &window);
  const int next = (all.rank + 1) % all.size, before = (all.rank + all.size - 1) % all.size;
  const std::vector<std::function<void(bool)>> calls{
      [&](bool is_late) {  // probe
        int token = 0;
        if (is_late) {
          MPI_Probe(next, 4, all.comm, MPI_STATUS_IGNORE);
          MPI_Recv(&token, 1, MPI_INT, next, 4, all.comm, MPI_STATUS_IGNORE);
        } else if (all.rank == 1) {
          MPI_Send(&token, 1, MPI_INT, 0, 4, all.comm);
        }
      },
      [&](bool is_late) {  // synchronous send
        int token = 0;
        if (is_late) {
          MPI_Ssend(&token, 1, MPI_INT, next, 5, all.comm);
        } else if (all.rank == 1) {
          MPI_Recv(&token, 1, MPI_INT, 0, 5, all.comm, MPI_STATUS_IGNORE);
        }
      },
      [&](bool) { PMPI_Barrier(all.comm); }, [&](bool) { MPI_Win_fence(0, window); },
      [&](bool) {
        MPI_Comm made = MPI_COMM_NULL;
        MPI_Comm_dup(all.comm, &made);
        MPI_Comm_free(&made);
      }};
  static_cast<void>(before);
  for (const auto& call : calls) {
    std::vector<int> data(3000, all.rank == all.size - 1 ? 6 : 0);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(data.data(), 3000, MPI_INT, all.size - 1, all.comm, &request);
    const bool is_late = all.rank == 0;
    if (!is_late) wait(request);
    call(is_late);
    if (is_late) wait(request);
    failures.expect(data.back() == 6, "data");
  }
  MPI_Win_free(&window);
}

/// With requests of messages and of native calls, in all functions that complete requests.
void mixes_in_every_completion(Failures& failures) {
  const Ranks all(MPI_COMM_WORLD);
  const int next = (all.rank + 1) % all.size, before = (all.rank + all.size - 1) % all.size;
  for (int how = 0; how < 8; ++how) {
    std::array<MPI_Request, 5> requests{};
    int sent = all.rank, got = -1, value = all.rank, sum = -1, native = -1;
    double data = all.rank == 0 ? 2.5 : 0;
    MPI_Irecv(&got, 1, MPI_INT, before, 9, all.comm, requests.data());
    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, all.comm, &requests[1]);
    PMPI_Iallreduce(&value, &native, 1, MPI_INT, MPI_MAX, all.comm, &requests[2]);
    MPI_Ibcast(&data, 1, MPI_DOUBLE, 0, all.comm, &requests[3]);
    MPI_Isend(&sent, 1, MPI_INT, next, 9, all.comm, &requests[4]);
    std::array<int, 5> indices{};
    int flag = 0, done = 0, index = 0;
    if (how == 0) {
      for (MPI_Request& one : requests) wait(one);
    } else if (how == 1) {
      MPI_Waitall(5, requests.data(), MPI_STATUSES_IGNORE);
    } else if (how == 2) {
      for (int i = 0; i < 5; ++i) {
        MPI_Waitany(5, requests.data(), &index, MPI_STATUS_IGNORE);
      }
    } else if (how == 3) {
      for (int left = 5; left > 0; left -= done) {
        MPI_Waitsome(5, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
      }
    } else if (how == 4) {
      for (MPI_Request& one : requests) {
        for (flag = 0; flag == 0;) MPI_Test(&one, &flag, MPI_STATUS_IGNORE);
      }
    } else if (how == 5) {
      while (flag == 0) MPI_Testall(5, requests.data(), &flag, MPI_STATUSES_IGNORE);
    } else if (how == 6) {
      for (int left = 5; left > 0; left -= done) {
        MPI_Testsome(5, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
      }
    } else {
      for (MPI_Request& one : requests) {
        for (flag = 0; flag == 0;) MPI_Request_get_status(one, &flag, MPI_STATUS_IGNORE);
        wait(one);
      }
    }
    for (const MPI_Request one : requests) failures.expect(one == MPI_REQUEST_NULL, "requests");
    failures.expect(got == before && sum == all.sum() && native == all.size - 1 && data == 2.5,
                    "way " + std::to_string(how));
  }
}

/// With calls that block on the same communicator, planned and native.
void mixes_with_blocking_calls(Failures& failures) {
  const Ranks all(MPI_COMM_WORLD);
  for (int root = 0; root < all.size; ++root) {
    std::vector<int> late(5000, all.rank == root ? root : -1), sums(3, -1);
    const std::vector<int> own(3, all.rank);
    std::array<MPI_Request, 3> requests{};
    MPI_Ibcast(late.data(), 5000, MPI_INT, root, all.comm, requests.data());
    int blocking = -1;
    MPI_Allreduce(&all.rank, &blocking, 1, MPI_INT, MPI_SUM, all.comm);
    MPI_Iallreduce(own.data(), sums.data(), 3, MPI_INT, MPI_SUM, all.comm, &requests[1]);
    std::vector<int> large(20000, all.rank == 0 ? 4 : 0);
    MPI_Bcast(large.data(), 20000, MPI_INT, 0, all.comm);
    MPI_Ibarrier(all.comm, &requests[2]);
    PMPI_Barrier(all.comm);
    MPI_Barrier(all.comm);
    MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
    failures.expect(late.back() == root && blocking == all.sum() && sums.back() == all.sum() &&
                        large.back() == 4,
                    "root " + std::to_string(root));
  }
}

/// Completed in another order than started, on several communicators.
void several_communicators(Failures& failures) {
  std::vector<MPI_Comm> comms(3, MPI_COMM_NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, comms.data());
  MPI_Comm_split(MPI_COMM_WORLD, 0, -Ranks(MPI_COMM_WORLD).rank, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, Ranks(MPI_COMM_WORLD).rank % 2, 0, &comms[2]);
  std::vector<int> ranks;  // they stay while calls are under way
  for (const MPI_Comm comm : comms) {
    join(comm);
    ranks.push_back(Ranks(comm).rank);
  }
  std::vector<int> values(30, -1);
  std::vector<MPI_Request> requests(30, MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < 30; ++i) {
    MPI_Iallreduce(&ranks[i % 3], &values[i], 1, MPI_INT, MPI_MAX, comms[i % 3], &requests[i]);
  }
  for (std::size_t i = 30; i-- > 0;) {
    wait(requests[i]);
    failures.expect(values[i] == Ranks(comms[i % 3]).size - 1, "call " + std::to_string(i));
  }
  // Freed while calls are under way: they end all the same.
  int last = -1;
  const Ranks some(comms[0]);
  MPI_Iallreduce(&some.rank, &last, 1, MPI_INT, MPI_MAX, comms[0], requests.data());
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  wait(requests[0]);
  failures.expect(last == some.size - 1, "freed");
}

int calls_at_once = 10000;  // more than tags tell apart

void many_under_way(Failures& failures) {
  const Ranks all(MPI_COMM_WORLD);
  std::vector<int> values(static_cast<std::size_t>(calls_at_once));
  std::vector<MPI_Request> requests(values.size());
  for (int i = 0; i < calls_at_once; ++i) {
    const auto at = static_cast<std::size_t>(i);
    values[at] = all.rank == i % all.size ? i : -1;
    MPI_Ibcast(&values[at], 1, MPI_INT, i % all.size, all.comm, &requests[at]);
  }
  MPI_Waitall(calls_at_once, requests.data(), MPI_STATUSES_IGNORE);
  for (int i = 0; i < calls_at_once; ++i) {
    failures.expect(values[static_cast<std::size_t>(i)] == i, "call " + std::to_string(i));
  }
  int sum = -1;
  MPI_Allreduce(&all.rank, &sum, 1, MPI_INT, MPI_SUM, all.comm);
  failures.expect(sum == all.sum(), "afterwards");
}

/// The program frees its type at once; types with gaps go through copies.
void freed_types(Failures& failures) {
  const Ranks all(MPI_COMM_WORLD);
  for (int root = 0; root < all.size; ++root) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(100, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    std::vector<int> data(200, all.rank == root ? 5 : 1);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(data.data(), 1, type, root, all.comm, &request);
    MPI_Type_free(&type);
    wait(request);
    failures.expect(data[198] == 5 && (all.rank == root || data[197] == 1), "data");
  }
}

void in_place(Failures& failures) {
  const Ranks all(MPI_COMM_WORLD);
  for (const int count : {0, 1, 700, 40000}) {
    std::vector<double> data(static_cast<std::size_t>(count), all.rank);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, data.data(), count, MPI_DOUBLE, MPI_SUM, all.comm, &request);
    wait(request);
    failures.expect(count == 0 || data.back() == all.sum(), std::to_string(count));
  }
}

/// Each kind, and that it ran along a plan.
void each_is_planned(Failures& failures) {
  const Ranks all(MPI_COMM_WORLD);
  int in = all.rank, out = -1;
  const auto size = static_cast<std::size_t>(all.size);
  std::vector<int> many(size), more(size), ones(size, 1), places(size), offsets(size);
  std::iota(places.begin(), places.end(), 0);
  for (std::size_t i = 0; i < size; ++i) offsets[i] = 4 * places[i];
  const std::vector<MPI_Datatype> types(size, MPI_INT);
  std::map<std::string, std::function<void(MPI_Request*)>> kinds{
      {"MPI_Ibcast", [&](MPI_Request* r) { MPI_Ibcast(&in, 1, MPI_INT, 0, all.comm, r); }},
      {"MPI_Ibarrier", [&](MPI_Request* r) { MPI_Ibarrier(all.comm, r); }},
      {"MPI_Iallreduce",
       [&](MPI_Request* r) { MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, all.comm, r); }},
      {"MPI_Ireduce",
       [&](MPI_Request* r) { MPI_Ireduce(&in, &out, 1, MPI_INT, MPI_SUM, 0, all.comm, r); }},
      {"MPI_Iscan",
       [&](MPI_Request* r) { MPI_Iscan(&in, &out, 1, MPI_INT, MPI_SUM, all.comm, r); }},
      {"MPI_Iexscan",
       [&](MPI_Request* r) { MPI_Iexscan(&in, &out, 1, MPI_INT, MPI_SUM, all.comm, r); }},
      {"MPI_Igather",
       [&](MPI_Request* r) {
         MPI_Igather(&in, 1, MPI_INT, many.data(), 1, MPI_INT, 0, all.comm, r);
       }},
      {"MPI_Iscatter",
       [&](MPI_Request* r) {
         MPI_Iscatter(many.data(), 1, MPI_INT, &out, 1, MPI_INT, 0, all.comm, r);
       }},
      {"MPI_Iallgather",
       [&](MPI_Request* r) {
         MPI_Iallgather(&in, 1, MPI_INT, many.data(), 1, MPI_INT, all.comm, r);
       }},
      {"MPI_Ialltoall",
       [&](MPI_Request* r) {
         MPI_Ialltoall(many.data(), 1, MPI_INT, more.data(), 1, MPI_INT, all.comm, r);
       }},
      {"MPI_Igatherv",
       [&](MPI_Request* r) {
         MPI_Igatherv(&in, 1, MPI_INT, many.data(), ones.data(), places.data(), MPI_INT, 0,
                      all.comm, r);
       }},
      {"MPI_Iscatterv",
       [&](MPI_Request* r) {
         MPI_Iscatterv(many.data(), ones.data(), places.data(), MPI_INT, &out, 1, MPI_INT, 0,
                       all.comm, r);
       }},
      {"MPI_Iallgatherv",
       [&](MPI_Request* r) {
         MPI_Iallgatherv(&in, 1, MPI_INT, many.data(), ones.data(), places.data(), MPI_INT,
                         all.comm, r);
       }},
      {"MPI_Ialltoallv",
       [&](MPI_Request* r) {
         MPI_Ialltoallv(many.data(), ones.data(), places.data(), MPI_INT, more.data(), ones.data(),
                        places.data(), MPI_INT, all.comm, r);
       }},
      {"MPI_Ialltoallw",
       [&](MPI_Request* r) {
         MPI_Ialltoallw(many.data(), ones.data(), offsets.data(), types.data(), more.data(),
                        ones.data(), offsets.data(), types.data(), all.comm, r);
       }},
      {"MPI_Ireduce_scatter_block",
       [&](MPI_Request* r) {
         MPI_Ireduce_scatter_block(many.data(), &out, 1, MPI_INT, MPI_SUM, all.comm, r);
       }},
      {"MPI_Ireduce_scatter", [&](MPI_Request* r) {
         MPI_Ireduce_scatter(many.data(), &out, ones.data(), MPI_INT, MPI_SUM, all.comm, r);
       }}};
  for (const auto& [name, start] : kinds) {
    MPI_Request request = MPI_REQUEST_NULL;
    start(&request);
    failures.expect(last_was_planned(), name + ": " + last_text());
    wait(request);
  }
}

/// MPI forbids it; the call goes on, and later ones are not disturbed.
void cancel_is_an_error(Failures& failures) {
  const Ranks all(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(all.comm, MPI_ERRORS_RETURN);
  for (int i = 0; i < 3; ++i) {
    // Nobody ends it before all have started it.
    MPI_Request request = MPI_REQUEST_NULL;
    int token = 0;
    if (all.rank == 0) {
      MPI_Ibarrier(all.comm, &request);
      failures.expect(MPI_Cancel(&request) != MPI_SUCCESS, "code");
      for (int r = 1; r < all.size; ++r) MPI_Send(&token, 1, MPI_INT, r, 8, all.comm);
    } else {
      MPI_Recv(&token, 1, MPI_INT, 0, 8, all.comm, MPI_STATUS_IGNORE);
      MPI_Ibarrier(all.comm, &request);
    }
    wait(request);
    int sum = -1;
    MPI_Iallreduce(&all.rank, &sum, 1, MPI_INT, MPI_SUM, all.comm, &request);
    wait(request);
    failures.expect(sum == all.sum(), "a later call");
  }
  MPI_Comm_set_errhandler(all.comm, MPI_ERRORS_ARE_FATAL);
}

/// A request that the program never completes: MPI_Finalize ends nevertheless.
void never_completed(Failures& /*failures*/) {
  static int value = 1, sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
}

int run(int argc, char** argv) {
  Failures failures;
  join(MPI_COMM_WORLD);
  using Case = void (*)(Failures&);
  const std::vector<std::pair<std::string, Case>> cases{
      {"each_is_planned", each_is_planned},
      {"five_broadcasts_then_send", five_broadcasts_then_send},
      {"goes_on_inside_receive", goes_on_inside_receive},
      {"goes_on_inside_other_calls", goes_on_inside_other_calls},
      {"mixes_in_every_completion", mixes_in_every_completion},
      {"mixes_with_blocking_calls", mixes_with_blocking_calls},
      {"several_communicators", several_communicators},
      {"many_under_way", many_under_way},
      {"freed_types", freed_types},
      {"in_place", in_place},
      {"cancel_is_an_error", cancel_is_an_error},
      {"never_completed", never_completed}};
  const bool is_native = option(argc, argv, "--native", 0) != 0;
  calls_at_once = static_cast<int>(option(argc, argv, "--many", 10000));
  for (const auto& [name, act] : cases) {
    // Open MPI's own calls crash if their communicator is freed before they are complete.
    const bool is_ours_alone =
        act == each_is_planned || act == cancel_is_an_error || act == several_communicators;
    if (is_native && is_ours_alone) continue;
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
