// What is under way beside blocking calls: non-blocking and persistent collectives, messages.
#include <algorithm>

#include "mpi/sections/steps.hpp"
#ifdef OPEN_MPI
#include <mpi-ext.h>  // persistent collectives have names of their own in Open MPI 4
#endif

namespace espalier::sections {
namespace {

std::vector<int> numbers(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<int> all(count);
  for (int& one : all) one = static_cast<int>(random.below(1000));
  return all;
}

constexpr std::uint64_t kNonBlocking = 17;  // that start() knows

int start_irregular(Section& section, Pending& one, std::uint64_t which, int root) {
  const void* from = one.sent.data();
  void* to = one.received.data();
  const int *counts = one.counts.data(), *displs = one.displs.data();
  const int count = one.counts.front();
  const MPI_Comm comm = section.comm;
  switch (which) {
    case 12:
      return MPI_Iallgatherv(from, count, MPI_INT, to, counts, displs, MPI_INT, comm, &one.request);
    case 13:
      return MPI_Igatherv(from, count, MPI_INT, to, counts, displs, MPI_INT, root, comm,
                          &one.request);
    case 14:
      return MPI_Iscatterv(from, counts, displs, MPI_INT, to, count, MPI_INT, root, comm,
                           &one.request);
    case 15:
      // More than there are ranks: on communicators with a topology Open MPI 4.1.4 reads as many as
      // there are neighbours (ompi_coll_base_retain_datatypes_w), and crashes natively.
      one.types.assign(one.counts.size() + 64, MPI_INT);
      for (int& at : one.displs) at *= static_cast<int>(sizeof(int));
      return MPI_Ialltoallw(from, counts, displs, one.types.data(), to, counts, displs,
                            one.types.data(), comm, &one.request);
    default:
      return MPI_Ialltoallv(from, counts, displs, MPI_INT, to, counts, displs, MPI_INT, comm,
                            &one.request);
  }
}

int start(Section& section, Pending& one, std::uint64_t which, int count, int root) {
  // One more: of two null pointers MPICH 4.0.2 says "Buffers must not be aliased" (Ialltoallv).
  const auto whole = static_cast<std::size_t>(count * section.size) + 1;
  one.sent.resize(whole, section.rank);
  one.received.assign(whole, -1);
  one.counts.assign(static_cast<std::size_t>(section.size), count);
  for (int i = 0; i < section.size; ++i) one.displs.push_back(i * count);
  const void* from = one.sent.data();
  void* to = one.received.data();
  const MPI_Comm comm = section.comm;
  switch (which) {
    case 0:
      if (section.rank == root) one.received = one.sent;
      return MPI_Ibcast(to, count, MPI_INT, root, comm, &one.request);
    case 1:
      return MPI_Ireduce(from, to, count, MPI_INT, MPI_SUM, root, comm, &one.request);
    case 2:
      return MPI_Iallreduce(from, to, count, MPI_INT, MPI_MAX, comm, &one.request);
    case 3:
      return MPI_Ibarrier(comm, &one.request);
    case 4:
      return MPI_Iallgather(from, count, MPI_INT, to, count, MPI_INT, comm, &one.request);
    case 5:
      return MPI_Ialltoall(from, count, MPI_INT, to, count, MPI_INT, comm, &one.request);
    case 6:
      return MPI_Igather(from, count, MPI_INT, to, count, MPI_INT, root, comm, &one.request);
    case 7:
      return MPI_Iscatter(from, count, MPI_INT, to, count, MPI_INT, root, comm, &one.request);
    case 8:
      return MPI_Iscan(from, to, count, MPI_INT, MPI_SUM, comm, &one.request);
    case 9:
      return MPI_Ireduce_scatter_block(from, to, count, MPI_INT, MPI_SUM, comm, &one.request);
    case 10:
      return MPI_Ireduce_scatter(from, to, one.counts.data(), MPI_INT, MPI_MIN, comm, &one.request);
    case 11:
      one.is_defined = section.rank != 0;
      return MPI_Iexscan(from, to, count, MPI_INT, MPI_SUM, comm, &one.request);
    default:
      return start_irregular(section, one, which, root);
  }
}

int prepare_persistent(std::vector<int>& data, std::vector<int>& sum, bool reduces, int root,
                       MPI_Comm comm, MPI_Request* request) {
  const int count = static_cast<int>(data.size());
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
  return reduces ? MPIX_Allreduce_init(data.data(), sum.data(), count, MPI_INT, MPI_SUM, comm,
                                       MPI_INFO_NULL, request)
                 : MPIX_Bcast_init(data.data(), count, MPI_INT, root, comm, MPI_INFO_NULL, request);
#else
  return reduces ? MPI_Allreduce_init(data.data(), sum.data(), count, MPI_INT, MPI_SUM, comm,
                                      MPI_INFO_NULL, request)
                 : MPI_Bcast_init(data.data(), count, MPI_INT, root, comm, MPI_INFO_NULL, request);
#endif
}

/// Messages from and to the ranks `distance` away; the receives take any source and any tag.
struct Ring {
  Ring(Section& section, Random& random, bool with_wildcards)
      : distance(1 + static_cast<int>(random.below(3))),
        count(1 + static_cast<int>(random.below(random.chance(10) ? 20000 : 50))),
        messages(1 + static_cast<int>(random.below(4))),
        to((section.rank + distance) % section.size),
        from(((section.rank - distance) % section.size + section.size) % section.size),
        wildcards(with_wildcards) {
    const std::uint64_t seed = random.next();
    for (int i = 0; i < messages; ++i) {
      sent.push_back(numbers(static_cast<std::size_t>(count),
                             section.own_seed(seed + static_cast<std::uint64_t>(i))));
      received.emplace_back(sent.back().size());
    }
  }
  void post_receives(MPI_Comm comm, std::vector<MPI_Request>& requests, bool persistent) {
    for (int i = 0; i < messages; ++i) {
      auto& into = received[static_cast<std::size_t>(i)];
      const int source = wildcards ? MPI_ANY_SOURCE : from, tag = wildcards ? MPI_ANY_TAG : i;
      auto* call = persistent ? MPI_Recv_init : MPI_Irecv;
      requests.emplace_back();
      call(into.data(), count, MPI_INT, source, tag, comm, &requests.back());
    }
  }
  void post_sends(MPI_Comm comm, std::vector<MPI_Request>& requests, bool persistent) {
    for (int i = 0; i < messages; ++i) {
      const auto& out = sent[static_cast<std::size_t>(i)];
      auto* call = persistent ? MPI_Send_init : MPI_Isend;
      requests.emplace_back();
      call(out.data(), count, MPI_INT, to, i, comm, &requests.back());
    }
  }
  int distance, count, messages, to, from;
  bool wildcards;
  std::vector<std::vector<int>> sent, received;
};

void wait_all(std::vector<MPI_Request>& requests) {
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

/// Completes them by some function of MPI that does so.
void wait_somehow(std::vector<MPI_Request>& requests, std::uint64_t how) {
  const int count = static_cast<int>(requests.size());
  int flag = 0, index = 0;
  std::vector<int> indices(requests.size());
  switch (how) {
    case 0:
      return wait_all(requests);
    case 1:
      for (index = 0; index != MPI_UNDEFINED;) {
        MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE);
      }
      return;
    case 2:
      while (flag == 0) MPI_Testall(count, requests.data(), &flag, MPI_STATUSES_IGNORE);
      return;
    case 3:
      while (index != MPI_UNDEFINED) {
        MPI_Testsome(count, requests.data(), &index, indices.data(), MPI_STATUSES_IGNORE);
      }
      return;
    case 4:
      for (MPI_Request& one : requests) {
        for (flag = 0; flag == 0;) MPI_Request_get_status(one, &flag, MPI_STATUS_IGNORE);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
      }
      return;
    default:
      std::for_each(requests.rbegin(), requests.rend(), [&](MPI_Request& one) {
        for (flag = 0; flag == 0;) MPI_Test(&one, &flag, MPI_STATUS_IGNORE);
      });
  }
}

void complete_somehow(Section& section, Random& random) {
  std::vector<MPI_Request> requests;
  for (const auto& one : section.pending) requests.push_back(one->request);
  wait_somehow(requests, random.below(6));
  for (const auto& one : section.pending) one->request = MPI_REQUEST_NULL;
  section.complete();
}

}  // namespace

void step_nonblocking(Section& section, Random& random) {
  const auto which = random.below(kNonBlocking);
  const int count = static_cast<int>(random.below(random.chance(10) ? 3000 : 20));
  const int root = section.pick_rank(random);
  section.say("non-blocking collective " + std::to_string(which) + " of " + std::to_string(count) +
              " ints, root " + std::to_string(root));
  section.pending.push_back(std::make_unique<Pending>());
  section.note(start(section, *section.pending.back(), which, count, root));
  if (random.chance(30)) complete_somehow(section, random);
}

void step_starts(Section& section, Random& random) {
  const auto which = random.below(kNonBlocking);
  const int calls = 20 + static_cast<int>(random.below(60));
  const int count = 1 + static_cast<int>(random.below(random.chance(20) ? 2000 : 16));
  const int root = section.pick_rank(random);
  const bool others_too = random.chance(30);
  section.say(std::to_string(calls) + " times non-blocking collective " + std::to_string(which) +
              " of " + std::to_string(count) + " ints, root " + std::to_string(root));
  int own = section.rank, sum = 0;
  for (int i = 0; i < 3; ++i) MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, section.comm);
  for (int i = 0; i < calls; ++i) {
    section.pending.push_back(std::make_unique<Pending>());
    const auto what = others_too && random.chance(30) ? random.below(kNonBlocking) : which;
    section.note(start(section, *section.pending.back(), what, count, root));
    if (random.chance(25)) complete_somehow(section, random);
    if (random.chance(8)) any_blocking_step(section, random);
    if (random.chance(3)) step_messages(section, random);
    if (random.chance(3)) come_late(section, random);
  }
}

void step_persistent(Section& section, Random& random) {
  std::vector<int> data(1 + random.below(100)), sum(data.size(), -1);
  const bool reduces = random.chance(50);
  const int root = section.pick_rank(random), times = 1 + static_cast<int>(random.below(3));
  section.say(std::string("persistent ") + (reduces ? "allreduce" : "broadcast") + ", " +
              std::to_string(times) + " times");
  MPI_Request request = MPI_REQUEST_NULL;
  section.note(prepare_persistent(data, sum, reduces, root, section.comm, &request));
  for (int i = 0; i < times; ++i) {
    data.assign(data.size(), section.rank + i);
    section.note(MPI_Start(&request));
    const std::uint64_t seed = random.next();
    Random between(seed);
    if (random.chance(40)) any_blocking_step(section, between);
    section.note(MPI_Wait(&request, MPI_STATUS_IGNORE));
    section.digest.add(reduces ? sum : data);
  }
  MPI_Request_free(&request);
}

void step_messages(Section& section, Random& random) {
  const bool persistent = random.chance(30), receives_first = random.chance(60);
  Ring ring(section, random, random.chance(60));
  section.say(std::to_string(ring.messages) + (persistent ? " persistent" : "") + " messages of " +
              std::to_string(ring.count) + " ints" + (ring.wildcards ? ", any source" : "") +
              ", a collective between");
  const std::uint64_t seed = random.next();
  std::vector<MPI_Request> requests;
  if (receives_first) ring.post_receives(section.comm, requests, persistent);
  ring.post_sends(section.comm, requests, persistent);
  for (MPI_Request& one : requests) {
    if (persistent) MPI_Start(&one);
  }
  Random between(seed);
  any_blocking_step(section, between);
  if (!receives_first) {
    const std::size_t before = requests.size();
    ring.post_receives(section.comm, requests, persistent);
    for (std::size_t i = before; persistent && i < requests.size(); ++i) MPI_Start(&requests[i]);
  }
  wait_all(requests);
  for (MPI_Request& one : requests) {
    if (persistent) MPI_Request_free(&one);
  }
  // Else a message of the next step may reach a late rank that still takes any.
  if (ring.wildcards) section.note(MPI_Barrier(section.comm));
  // All come from one rank, in the order in which it sent them.
  for (const auto& one : ring.received) section.digest.add(one);
}

}  // namespace espalier::sections
