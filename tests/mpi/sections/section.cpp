#include "mpi/sections/section.hpp"

#include <chrono>
#include <thread>

namespace espalier::sections {

void Section::use(MPI_Comm other) {
  comm = other;
  rank = 0;
  size = 1;
  if (other == MPI_COMM_NULL) return;
  MPI_Comm_rank(other, &rank);
  MPI_Comm_size(other, &size);
}

void Section::note(int code) {
  if (code == MPI_SUCCESS) return;
  int error_class = 0;
  MPI_Error_class(code, &error_class);
  error_classes_.push_back(error_class);
}

void Section::say(const std::string& what) const {
  if (!tells_) return;
  int world_rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  if (world_rank != 0) return;
  std::fprintf(stderr, "    %s (%d ranks)\n", what.c_str(), size);
}

void Section::complete() {
  for (const auto& one : pending) {
    note(MPI_Wait(&one->request, MPI_STATUS_IGNORE));
    if (one->is_defined) digest.add(one->received);
  }
  pending.clear();
}

std::string Section::errors() const {
  std::string all;
  for (const int one : error_classes_) all += (all.empty() ? "" : ",") + std::to_string(one);
  return all.empty() ? "-" : all;
}

void free_communicator(MPI_Comm& comm) {
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

void come_late(const Section& section, Random& random) {
  const bool some_are_late = random.chance(8);
  const int who = section.pick_rank(random);
  const auto time = std::chrono::microseconds(1 << random.below(11));
  const bool sleeps = random.chance(50);
  if (!some_are_late || who != section.rank) return;
  if (sleeps) {
    std::this_thread::sleep_for(time);
    return;
  }
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

}  // namespace espalier::sections
