// One side far ahead of the other, and several threads in collectives at once.
#include <chrono>
#include <thread>

#include "mpi/sections/steps.hpp"

namespace espalier::sections {
namespace {

/// Broadcasts or reductions in one direction; the side that receives comes late.
void one_way(Section& section, Random& random, int calls) {
  const int root = section.pick_rank(random), count = 1 + static_cast<int>(random.below(4));
  const bool broadcasts = random.chance(50);
  section.say(std::to_string(calls) + (broadcasts ? " broadcasts" : " reductions") +
              " ahead, root " + std::to_string(root));
  if ((section.rank == root) != broadcasts) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1 + calls / 1000));
  }
  std::vector<int> data(static_cast<std::size_t>(count)), sum(data.size());
  for (int i = 0; i < calls; ++i) {
    data.assign(data.size(), section.rank == root ? i : section.rank + 2 * i);
    section.note(broadcasts ? MPI_Bcast(data.data(), count, MPI_INT, root, section.comm)
                            : MPI_Reduce(data.data(), sum.data(), count, MPI_INT, MPI_SUM, root,
                                         section.comm));
    if (broadcasts || section.rank == root) section.digest.add(broadcasts ? data : sum);
  }
}

/// What a thread does on its own communicator.
std::uint64_t calls_of(MPI_Comm comm, std::uint64_t seed) {
  Random random(seed);
  Digest digest;
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const std::uint64_t calls = 1 + random.below(10);
  for (std::uint64_t i = 0; i < calls; ++i) {
    std::vector<int> data(1 + random.below(300), rank + 1), sum(data.size(), -1);
    const int count = static_cast<int>(data.size());
    const int root = static_cast<int>(random.below(static_cast<std::uint64_t>(size)));
    const std::uint64_t which = random.below(4);
    const bool broadcasts = which % 2 == 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (which == 0) MPI_Bcast(data.data(), count, MPI_INT, root, comm);
    if (which == 1) MPI_Allreduce(data.data(), sum.data(), count, MPI_INT, MPI_SUM, comm);
    if (which == 2) MPI_Ibcast(data.data(), count, MPI_INT, root, comm, &request);
    if (which == 3) {
      MPI_Iallreduce(data.data(), sum.data(), count, MPI_INT, MPI_SUM, comm, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    digest.add(broadcasts ? data : sum);
  }
  return digest.value();
}

}  // namespace

void step_ahead(Section& section, Random& random) {
  one_way(section, random, 50 + static_cast<int>(random.below(random.chance(10) ? 3000 : 300)));
}

void step_far_ahead(Section& section, Random& random) {
  one_way(section, random, 4000 + static_cast<int>(random.below(14000)));
}

void step_threads(Section& section, Random& random) {
  std::vector<MPI_Comm> comms(2 + random.below(2));
  std::vector<std::uint64_t> seeds(comms.size()), results(comms.size());
  for (std::size_t i = 0; i < comms.size(); ++i) {
    MPI_Comm_dup(section.comm, &comms[i]);
    seeds[i] = random.next();
  }
  section.say(std::to_string(comms.size()) + " threads with a communicator each");
  if (section.thread_level == MPI_THREAD_MULTIPLE) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < comms.size(); ++i) {
      threads.emplace_back([&, i] { results[i] = calls_of(comms[i], seeds[i]); });
    }
    for (std::thread& one : threads) one.join();
  } else {
    for (std::size_t i = 0; i < comms.size(); ++i) results[i] = calls_of(comms[i], seeds[i]);
  }
  section.digest.add(results);
  for (MPI_Comm& one : comms) MPI_Comm_free(&one);
}

}  // namespace espalier::sections
