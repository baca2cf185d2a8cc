// Random calls of every kind that a recorder has to see, each with a note of what it must have
// seen: FOLDER/RANK, a line an action ("send 2 24", "recv 1 8", "broadcast 16 0 4").
// tests/mpi/recorded.py compares them with the profile.
//
//   recorded FOLDER [--seed N] [--calls N]
//   recorded FOLDER --compute MILLISECONDS    so much processor time, between two barriers
#include <time.h>

#include <array>
#include <fstream>
#include <vector>

#include "base/random.hpp"
#include "mpi/harness.hpp"

namespace {

using espalier::Random;

struct Scene {
  Random shared;  ///< alike on all ranks
  std::ofstream notes;
  int me = 0, size = 0;
  int tag = 0;  ///< another for each deed: receives take from anybody
  MPI_Comm half = MPI_COMM_NULL, ring = MPI_COMM_NULL;
  std::vector<int> out = std::vector<int>(4096), in = std::vector<int>(4096);

  void sent(int to, int count) { notes << "send " << to << " " << 4 * count << "\n"; }
  void received(int from, int count) { notes << "recv " << from << " " << 4 * count << "\n"; }
  int length() { return static_cast<int>(shared.below(5)); }
  /// A pair of different ranks.
  std::array<int, 2> pair() {
    const int from = static_cast<int>(shared.below(static_cast<std::uint64_t>(size)));
    const int step = 1 + static_cast<int>(shared.below(static_cast<std::uint64_t>(size - 1)));
    return {from, (from + step) % size};
  }
};

void blocking(Scene& s) {
  const auto [from, to] = s.pair();
  const int n = s.length();
  const auto which = s.shared.below(4);
  if (s.me == from) {
    s.sent(to, n);
    if (which == 0) MPI_Send(s.out.data(), n, MPI_INT, to, s.tag, MPI_COMM_WORLD);
    if (which == 1) MPI_Ssend(s.out.data(), n, MPI_INT, to, s.tag, MPI_COMM_WORLD);
    if (which == 2) MPI_Bsend(s.out.data(), n, MPI_INT, to, s.tag, MPI_COMM_WORLD);
    MPI_Request request = MPI_REQUEST_NULL;
    if (which == 3) MPI_Isend(s.out.data(), n, MPI_INT, to, s.tag, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (s.me == to) {
    // More room than comes, from anybody, with a status and without.
    MPI_Status status;
    MPI_Recv(s.in.data(), 64, MPI_INT, which % 2 == 0 ? from : MPI_ANY_SOURCE, s.tag,
             MPI_COMM_WORLD, which < 2 ? &status : MPI_STATUS_IGNORE);
    s.received(from, n);
  }
}

void shifted(Scene& s) {
  const int n = s.length();
  const int to = (s.me + 1) % s.size, from = (s.me + s.size - 1) % s.size;
  s.sent(to, n);
  if (s.shared.chance(50)) {
    MPI_Sendrecv(s.out.data(), n, MPI_INT, to, s.tag, s.in.data(), 64, MPI_INT, from, s.tag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Sendrecv_replace(s.in.data(), n, MPI_INT, to, s.tag, MPI_ANY_SOURCE, s.tag, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
  }
  s.received(from, n);
  MPI_Send(s.out.data(), 1, MPI_INT, MPI_PROC_NULL, s.tag, MPI_COMM_WORLD);  // nobody: not recorded
}

/// Receives from all others, waited for in every way there is.
void everybody(Scene& s) {
  const int n = s.length();
  const auto way = s.shared.below(6);
  std::vector<MPI_Request> requests;
  std::vector<int> peers;
  for (int from = 0; from < s.size; ++from) {
    if (from == s.me) continue;
    requests.emplace_back();
    peers.push_back(from);
    MPI_Irecv(&s.in[static_cast<std::size_t>(from) * 8], 8, MPI_INT, from, s.tag, MPI_COMM_WORLD,
              &requests.back());
  }
  for (const int to : peers) {
    s.sent(to, n);
    requests.emplace_back();
    MPI_Isend(s.out.data(), n, MPI_INT, to, s.tag, MPI_COMM_WORLD, &requests.back());
  }
  const int count = static_cast<int>(requests.size());
  const auto done = [&](int i) {
    if (i < static_cast<int>(peers.size())) s.received(peers[static_cast<std::size_t>(i)], n);
  };
  std::vector<MPI_Status> statuses(requests.size());
  std::vector<int> indices(requests.size());
  int flag = 0, some = 0, index = 0;
  if (way == 0) {
    MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; ++i) done(i);
  } else if (way == 1) {
    while (flag == 0) MPI_Testall(count, requests.data(), &flag, statuses.data());
    for (int i = 0; i < count; ++i) done(i);
  } else if (way == 2) {
    for (int left = count; left > 0; --left) {
      MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE);
      done(index);
    }
  } else if (way == 3) {
    for (int left = count; left > 0; left -= flag) {
      MPI_Testany(count, requests.data(), &index, &flag, statuses.data());
      if (flag != 0) done(index);
    }
  } else if (way == 4) {
    for (int left = count; left > 0; left -= some) {
      MPI_Waitsome(count, requests.data(), &some, indices.data(), MPI_STATUSES_IGNORE);
      for (int i = 0; i < some; ++i) done(indices[static_cast<std::size_t>(i)]);
    }
  } else {
    for (int i = 0; i < count; ++i) {
      for (flag = 0; flag == 0;) {
        MPI_Test(&requests[static_cast<std::size_t>(i)], &flag, MPI_STATUS_IGNORE);
      }
      done(i);
    }
  }
}

void persistent(Scene& s) {
  const int n = s.length();
  const int to = (s.me + 1) % s.size, from = (s.me + s.size - 1) % s.size;
  std::array<MPI_Request, 2> requests{};
  MPI_Send_init(s.out.data(), n, MPI_INT, to, s.tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(s.in.data(), 8, MPI_INT, MPI_ANY_SOURCE, s.tag, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    s.sent(to, n);
    MPI_Startall(2, requests.data());
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    s.received(from, n);
    MPI_Barrier(MPI_COMM_WORLD);
    s.notes << "barrier 0 0 " << s.size << "\n";
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

void probed(Scene& s) {
  const auto [from, to] = s.pair();
  const int n = s.length();
  if (s.me == from) {
    s.sent(to, n);
    MPI_Send(s.out.data(), n, MPI_INT, to, s.tag, MPI_COMM_WORLD);
  }
  const bool waits = s.shared.chance(50);
  if (s.me != to) return;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Mprobe(MPI_ANY_SOURCE, s.tag, MPI_COMM_WORLD, &message, &status);
  if (waits) {
    MPI_Mrecv(s.in.data(), n, MPI_INT, &message, MPI_STATUS_IGNORE);
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Imrecv(s.in.data(), n, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  s.received(from, n);
}

/// A receive that nobody answers.
void cancelled(Scene& s) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(s.in.data(), 4, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// Half of the processes, a communicator of another order.
void in_half(Scene& s) {
  const int n = s.length();
  int size = 0;
  MPI_Comm_size(s.half, &size);
  const int root_there = size - 1;
  std::array<int, 1> root{root_there};
  std::array<int, 1> in_world{};
  MPI_Group world = MPI_GROUP_NULL, half = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_group(s.half, &half);
  MPI_Group_translate_ranks(half, 1, root.data(), world, in_world.data());
  MPI_Group_free(&world);
  MPI_Group_free(&half);
  MPI_Bcast(s.out.data(), n, MPI_INT, root_there, s.half);
  s.notes << "broadcast " << 4 * n << " " << in_world[0] << " " << size << "\n";
}

/// The same communicator, a collective that is started and waited for: it stands as its messages.
/// Up to 3 members are right here: the tree of a broadcast to more is not flat.
void started_in_half(Scene& s) {
  const int n = s.length();
  std::vector<int> members;  // ranks in the world, in their order there
  for (int rank = s.size - 1; rank >= 0; --rank) {
    if (rank % 2 == s.me % 2) members.push_back(rank);
  }
  int me = 0;
  MPI_Comm_rank(s.half, &me);
  const int size = static_cast<int>(members.size()), root = size - 1;
  const auto member = [&](int place) { return members[static_cast<std::size_t>(place % size)]; };
  MPI_Request request = MPI_REQUEST_NULL;
  if (s.shared.chance(50)) {
    for (int step = 1; step < size; ++step) s.sent(member(me + step), n);
    MPI_Ialltoall(s.out.data(), n, MPI_INT, s.in.data(), n, MPI_INT, s.half, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int step = 1; step < size; ++step) s.received(member(me + size - step), n);
    return;
  }
  MPI_Ibcast(s.out.data(), n, MPI_INT, root, s.half, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (me != root) return s.received(member(root), n);
  for (int step = size - 1; step > 0; --step) s.sent(member(root + step), n);
}

void collective(Scene& s) {
  const int n = s.length();
  const auto note = [&](const char* what, int bytes, int root) {
    s.notes << what << " " << bytes << " " << root << " " << s.size << "\n";
  };
  // Arguments that are not significant are garbage.
  const bool is_root = s.me == 0;
  const MPI_Datatype at_root = is_root ? MPI_INT : MPI_Datatype{};
  switch (s.shared.below(8)) {
    case 0:
      MPI_Allreduce(s.out.data(), s.in.data(), n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      return note("allreduce", 4 * n, 0);
    case 1:
      MPI_Reduce(s.out.data(), s.in.data(), n, MPI_INT, MPI_SUM, s.size - 1, MPI_COMM_WORLD);
      return note("reduce", 4 * n, s.size - 1);
    case 2:
      MPI_Alltoall(s.out.data(), n, MPI_INT, s.in.data(), n, MPI_INT, MPI_COMM_WORLD);
      return note("alltoall", 4 * n, 0);
    case 3:
      MPI_Allgather(MPI_IN_PLACE, 1, MPI_Datatype{}, s.in.data(), n, MPI_INT, MPI_COMM_WORLD);
      return note("allgather", 4 * n, 0);
    case 4:
      MPI_Gather(s.out.data(), n, MPI_INT, s.in.data(), is_root ? n : 1, at_root, 0,
                 MPI_COMM_WORLD);
      return note("gather", 4 * n, 0);
    case 5:
      MPI_Scatter(s.out.data(), is_root ? n : 1, at_root, s.in.data(), n, MPI_INT, 0,
                  MPI_COMM_WORLD);
      return note("scatter", 4 * n, 0);
    case 6:
      MPI_Reduce_scatter_block(s.out.data(), s.in.data(), n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      return note("reduce-scatter", 4 * n, 0);
    default:
      MPI_Scan(s.out.data(), s.in.data(), n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      return note("scan", 4 * n, 0);
  }
}

/// Block j of rank i has i + j elements: messages of their own.
void irregular(Scene& s) {
  std::vector<int> counts, displacements;
  const auto size = static_cast<std::size_t>(s.size);
  for (int j = 0; j < s.size; ++j) {
    counts.push_back(s.me + j);
    displacements.push_back(64 * j);
  }
  MPI_Request request = MPI_REQUEST_NULL;
  const bool waits = s.shared.chance(50);
  for (std::size_t step = 1; step < size; ++step) {
    const auto to = (static_cast<std::size_t>(s.me) + step) % size;
    s.sent(static_cast<int>(to), counts[to]);
  }
  if (waits) {
    MPI_Alltoallv(s.out.data(), counts.data(), displacements.data(), MPI_INT, s.in.data(),
                  counts.data(), displacements.data(), MPI_INT, MPI_COMM_WORLD);
  } else {
    MPI_Ialltoallv(s.out.data(), counts.data(), displacements.data(), MPI_INT, s.in.data(),
                   counts.data(), displacements.data(), MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (std::size_t step = 1; step < size; ++step) {
    const auto from = (static_cast<std::size_t>(s.me) + size - step) % size;
    s.received(static_cast<int>(from), counts[from]);
  }
}

void gathered(Scene& s) {
  std::vector<int> counts, displacements;
  for (int j = 0; j < s.size; ++j) {
    counts.push_back(j + 1);
    displacements.push_back(64 * j);
  }
  MPI_Gatherv(s.out.data(), s.me + 1, MPI_INT, s.in.data(), counts.data(), displacements.data(),
              MPI_INT, 1 % s.size, MPI_COMM_WORLD);
  if (s.me != 1 % s.size) return s.sent(1 % s.size, s.me + 1);
  for (int j = 0; j < s.size; ++j) {
    if (j != s.me) s.received(j, counts[static_cast<std::size_t>(j)]);
  }
}

void neighbours(Scene& s) {
  const int n = s.length();
  MPI_Neighbor_alltoall(s.out.data(), n, MPI_INT, s.in.data(), n, MPI_INT, s.ring);
  const int below = (s.me + s.size - 1) % s.size, above = (s.me + 1) % s.size;
  for (const int to : {below, above}) s.sent(to, n);
  for (const int from : {below, above}) s.received(from, n);
}

/// A request that is complete after its communicator was freed. Memory that is freed with it is
/// written to meanwhile.
void outliving(Scene& s) {
  const auto [from, to] = s.pair();
  const int n = s.length(), last = s.size - 1;
  MPI_Comm backwards = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -s.me, &backwards);
  MPI_Request request = MPI_REQUEST_NULL;
  if (s.me == from) {
    MPI_Isend(s.out.data(), n, MPI_INT, last - to, s.tag, backwards, &request);
    s.sent(to, n);
  } else if (s.me == to) {
    MPI_Irecv(s.in.data(), 64, MPI_INT, MPI_ANY_SOURCE, s.tag, backwards, &request);
  }
  MPI_Comm_free(&backwards);
  const std::vector<std::vector<int>> others(
      8, std::vector<int>(static_cast<std::size_t>(s.size), s.me));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (s.me == to) s.received(from, n);
}

/// A delete function that communicates, after the recorder has forgotten the communicator: not
/// recorded, and nothing of it is left for the next communicator with the same handle.
void dying(Scene& s) {
  const auto talk = [](MPI_Comm comm, int, void*, void*) { return MPI_Barrier(comm); };
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, talk, &keyval, nullptr);
  for (int round = 0; round < 2; ++round) {
    MPI_Comm turned = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, round == 0 ? s.me : -s.me, &turned);
    MPI_Comm_set_attr(turned, keyval, nullptr);
    const int there = round == 0 ? s.me : s.size - 1 - s.me;
    const int n = s.length();
    if (there == 0) {
      MPI_Send(s.out.data(), n, MPI_INT, s.size - 1, s.tag, turned);
      s.sent(s.size - 1 - s.me, n);
    }
    if (there == s.size - 1) {
      MPI_Recv(s.in.data(), n, MPI_INT, 0, s.tag, turned, MPI_STATUS_IGNORE);
      s.received(s.size - 1 - s.me, n);
    }
    MPI_Comm_free(&turned);
  }
  MPI_Comm_free_keyval(&keyval);
}

std::uint64_t processor_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void compute(std::uint64_t milliseconds) {
  MPI_Barrier(MPI_COMM_WORLD);
  const std::uint64_t end = processor_nanoseconds() + milliseconds * 1'000'000U;
  while (processor_nanoseconds() < end) continue;
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  using espalier::mpi_test::option;
  if (const std::uint64_t computes = option(argc, argv, "--compute", 0); computes > 0) {
    compute(computes);
    MPI_Finalize();
    return 0;
  }
  Scene s{Random(option(argc, argv, "--seed", 1)), {}};
  MPI_Comm_rank(MPI_COMM_WORLD, &s.me);
  MPI_Comm_size(MPI_COMM_WORLD, &s.size);
  s.notes.open(std::string(argv[1]) + "/" + std::to_string(s.me));
  MPI_Comm_split(MPI_COMM_WORLD, s.me % 2, -s.me, &s.half);
  const int around = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &s.size, &around, 0, &s.ring);
  std::vector<char> buffer(1 << 20);
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  using Deed = void (*)(Scene&);
  constexpr std::array<Deed, 14> kDeeds{blocking,   shifted,   everybody, persistent,      probed,
                                        cancelled,  in_half,   irregular, started_in_half, gathered,
                                        neighbours, outliving, dying,     collective};
  const std::uint64_t calls = option(argc, argv, "--calls", 200);
  for (std::uint64_t call = 0; call < calls; ++call) {
    const Deed deed = kDeeds[s.shared.below(kDeeds.size())];
    const std::uint64_t again = 1 + (s.shared.chance(30) ? s.shared.below(20) : 0);
    const Random before = s.shared;
    for (std::uint64_t i = 0; i < again; ++i) {
      s.shared = before;  // the very same call: loops
      ++s.tag;
      deed(s);
    }
  }
  void* attached = nullptr;
  int length = 0;
  MPI_Buffer_detach(&attached, &length);
  MPI_Comm_free(&s.half);
  MPI_Comm_free(&s.ring);
  MPI_Finalize();
  return 0;
}
