// The harness itself talks through PMPI_, so that a preloaded library does not change it.
#include "clocks.hpp"

#include <time.h>

#include <algorithm>
#include <array>

namespace measure {
namespace {

constexpr int kTag = 7;
constexpr int kRoundTrips = 7;

void sleep_until(std::int64_t ns) {
  const timespec t{ns / 1'000'000'000, ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) != 0) {
  }
}

std::int64_t largest(std::int64_t mine) {
  PMPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

void send_word(int to) {
  char word = 0;
  PMPI_Send(&word, 1, MPI_CHAR, to, kTag, MPI_COMM_WORLD);
}

void receive_word(int from) {
  char word = 0;
  PMPI_Recv(&word, 1, MPI_CHAR, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

}  // namespace

std::int64_t now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

int world_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int size = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

SharedClock::SharedClock() {
  for (int i = 0; i < 3; ++i) {  // the first ones connect
    const std::int64_t start = now_ns();
    (void)largest(start);
    margin_ = now_ns() - start + 2'000'000;
  }
  margin_ = largest(margin_);
}

std::int64_t SharedClock::time(const Timed& timed) {
  while (true) {
    timed.prepare();
    const std::int64_t start = largest(now_ns()) + margin_;
    const bool late = now_ns() > start;
    sleep_until(start);
    timed.call();
    std::array<std::int64_t, 2> end_and_late{now_ns(), late ? 1 : 0};
    timed.check();
    PMPI_Allreduce(MPI_IN_PLACE, end_and_late.data(), 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (end_and_late[1] == 0) return end_and_late[0] - start;
    margin_ *= 2;
  }
}

std::int64_t SharedClock::slot_for(int count, const std::function<Timed(int)>& nth) {
  // What a call takes with all around it: of the first, the middle and the last.
  std::int64_t slot = 0;
  for (const int k : {0, count / 2, count - 1}) {
    const std::int64_t begin = now_ns();
    const Timed timed = nth(k);
    timed.prepare();
    const std::int64_t prepared = now_ns() - begin;
    const std::int64_t took = time(timed);
    slot = std::max(slot, 2 * prepared + took + took / 2 + 2'000'000);
  }
  return largest(slot);
}

std::vector<std::int64_t> SharedClock::times(int count, const std::function<Timed(int)>& nth,
                                             std::int64_t& slot) {
  if (slot == 0) slot = slot_for(count, nth);
  while (true) {
    std::vector<std::int64_t> ends;
    bool late = false;
    const std::int64_t start = largest(now_ns()) + margin_ + slot;
    for (int k = 0; k < count; ++k) {
      const Timed timed = nth(k);
      timed.prepare();
      late = late || now_ns() > start + k * slot;
      sleep_until(start + k * slot);
      timed.call();
      ends.push_back(now_ns());
      timed.check();
    }
    ends.push_back(late ? 1 : 0);
    PMPI_Allreduce(MPI_IN_PLACE, ends.data(), count + 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    late = ends.back() != 0;
    ends.pop_back();
    for (int k = 0; k < count; ++k) ends[static_cast<std::size_t>(k)] -= start + k * slot;
    if (!late) return ends;
    slot *= 2;
  }
}

std::int64_t Acknowledged::half_round_trip(int root, int receiver) {
  const auto found = known_.find({root, receiver});
  if (found != known_.end()) return found->second;
  std::vector<std::int64_t> trips;
  for (int i = 0; i < kRoundTrips + 1; ++i) {  // the first connects
    const std::int64_t start = now_ns();
    if (world_rank() == root) {
      send_word(receiver);
      receive_word(receiver);
    } else if (world_rank() == receiver) {
      receive_word(root);
      send_word(root);
    }
    if (i > 0) trips.push_back(now_ns() - start);
  }
  std::sort(trips.begin(), trips.end());
  return known_[{root, receiver}] = trips[trips.size() / 2] / 2;
}

std::int64_t Acknowledged::time(const Timed& timed, const std::vector<int>& members) {
  std::int64_t latest = 0;
  for (const int receiver : members) {
    if (receiver == timed.root) continue;
    const std::int64_t back = half_round_trip(timed.root, receiver);
    timed.prepare();
    PMPI_Barrier(MPI_COMM_WORLD);
    const std::int64_t start = now_ns();
    timed.call();
    if (world_rank() == receiver) send_word(timed.root);
    if (world_rank() == timed.root) {
      receive_word(receiver);
      latest = std::max(latest, now_ns() - start - back);
    }
    timed.check();
  }
  return largest(world_rank() == timed.root ? latest : 0);
}

}  // namespace measure
