// Measures collectives of whatever MPI it is built with, or of what is preloaded under it.
//
//   measure REPEATS OPERATION:BYTES:ROOT...
//
// One line for each call, by rank 0:
//   measured OPERATION BYTES ROOT wrong N first_us T times_us T...
//
// All ranks start at one moment of a clock that they share (hosts of a lab do), and a call's time
// goes from that moment to the end of the last rank. The first call is told apart: it connects, and
// may plan. Every result is compared with what it has to be. The harness itself talks through
// PMPI_, so that a preloaded library does not change it.
#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using Element = std::int64_t;
using Buffer = std::vector<Element>;

struct World {
  int rank = 0;
  int size = 1;
};

std::int64_t now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

void sleep_until(std::int64_t ns) {
  const timespec t{ns / 1'000'000'000, ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) != 0) {
  }
}

/// A call on elements of 8 bytes: what goes in, what has to come out, and the call itself.
struct Case {
  Buffer in;
  Buffer out;
  Buffer expected;  ///< empty where this rank gets nothing
  std::function<void(Buffer& in, Buffer& out)> call;
  bool in_place = false;  ///< `out` begins as `in`
};

Element value(int from, int to, int i) { return from * 1000003LL + to * 1009LL + i % 251 + 1; }

/// Block b of a buffer for P blocks holds f(b, i).
Buffer blocks(int count, int blocks_in_it, const std::function<Element(int, int)>& f) {
  Buffer data(static_cast<std::size_t>(count) * static_cast<std::size_t>(blocks_in_it));
  for (int b = 0; b < blocks_in_it; ++b) {
    for (int i = 0; i < count; ++i) {
      data[static_cast<std::size_t>(b) * static_cast<std::size_t>(count) +
           static_cast<std::size_t>(i)] = f(b, i);
    }
  }
  return data;
}

Element sum_up_to(int ranks, int to, int i) {
  Element sum = 0;
  for (int r = 0; r < ranks; ++r) sum += value(r, to, i);
  return sum;
}

MPI_Comm world() { return MPI_COMM_WORLD; }

using Maker = std::function<Case(const World&, int count, int root)>;

Case broadcast(const World& w, int n, int root) {
  const Buffer sent = blocks(n, 1, [&](int, int i) { return value(root, 0, i); });
  const bool is_root = w.rank == root;
  return {is_root ? sent : Buffer(sent.size(), -1), Buffer(sent.size()), sent,
          [=](Buffer&, Buffer& out) { MPI_Bcast(out.data(), n, MPI_INT64_T, root, world()); },
          /*in_place=*/true};
}

Case reduce(const World& w, int n, int root) {
  const bool is_root = w.rank == root;
  return {blocks(n, 1, [&](int, int i) { return value(w.rank, 0, i); }),
          Buffer(is_root ? static_cast<std::size_t>(n) : 0),
          is_root ? blocks(n, 1, [&](int, int i) { return sum_up_to(w.size, 0, i); }) : Buffer{},
          [=](Buffer& in, Buffer& out) {
            MPI_Reduce(in.data(), out.data(), n, MPI_INT64_T, MPI_SUM, root, world());
          }};
}

Case allreduce(const World& w, int n, int) {
  return {blocks(n, 1, [&](int, int i) { return value(w.rank, 0, i); }),
          Buffer(static_cast<std::size_t>(n)),
          blocks(n, 1, [&](int, int i) { return sum_up_to(w.size, 0, i); }),
          [=](Buffer& in, Buffer& out) {
            MPI_Allreduce(in.data(), out.data(), n, MPI_INT64_T, MPI_SUM, world());
          }};
}

Case barrier(const World&, int, int) {
  return {{}, {}, {}, [](Buffer&, Buffer&) { MPI_Barrier(world()); }};
}

Case gather(const World& w, int n, int root) {
  const bool is_root = w.rank == root;
  const Buffer all = blocks(n, w.size, [](int b, int i) { return value(b, 0, i); });
  return {blocks(n, 1, [&](int, int i) { return value(w.rank, 0, i); }),
          Buffer(is_root ? all.size() : 0), is_root ? all : Buffer{}, [=](Buffer& in, Buffer& out) {
            MPI_Gather(in.data(), n, MPI_INT64_T, out.data(), n, MPI_INT64_T, root, world());
          }};
}

Case scatter(const World& w, int n, int root) {
  const bool is_root = w.rank == root;
  return {is_root ? blocks(n, w.size, [](int b, int i) { return value(0, b, i); }) : Buffer{},
          Buffer(static_cast<std::size_t>(n)),
          blocks(n, 1, [&](int, int i) { return value(0, w.rank, i); }),
          [=](Buffer& in, Buffer& out) {
            MPI_Scatter(in.data(), n, MPI_INT64_T, out.data(), n, MPI_INT64_T, root, world());
          }};
}

Case allgather(const World& w, int n, int) {
  const Buffer all = blocks(n, w.size, [](int b, int i) { return value(b, 0, i); });
  return {blocks(n, 1, [&](int, int i) { return value(w.rank, 0, i); }), Buffer(all.size()), all,
          [=](Buffer& in, Buffer& out) {
            MPI_Allgather(in.data(), n, MPI_INT64_T, out.data(), n, MPI_INT64_T, world());
          }};
}

Case alltoall(const World& w, int n, int) {
  const Buffer all = blocks(n, w.size, [&](int b, int i) { return value(b, w.rank, i); });
  return {blocks(n, w.size, [&](int b, int i) { return value(w.rank, b, i); }), Buffer(all.size()),
          all, [=](Buffer& in, Buffer& out) {
            MPI_Alltoall(in.data(), n, MPI_INT64_T, out.data(), n, MPI_INT64_T, world());
          }};
}

Case reduce_scatter(const World& w, int n, int) {
  return {blocks(n, w.size, [&](int b, int i) { return value(w.rank, b, i); }),
          Buffer(static_cast<std::size_t>(n)),
          blocks(n, 1, [&](int, int i) { return sum_up_to(w.size, w.rank, i); }),
          [=](Buffer& in, Buffer& out) {
            MPI_Reduce_scatter_block(in.data(), out.data(), n, MPI_INT64_T, MPI_SUM, world());
          }};
}

Case scan(const World& w, int n, int) {
  return {blocks(n, 1, [&](int, int i) { return value(w.rank, 0, i); }),
          Buffer(static_cast<std::size_t>(n)),
          blocks(n, 1, [&](int, int i) { return sum_up_to(w.rank + 1, 0, i); }),
          [=](Buffer& in, Buffer& out) {
            MPI_Scan(in.data(), out.data(), n, MPI_INT64_T, MPI_SUM, world());
          }};
}

Case exscan(const World& w, int n, int) {
  return {
      blocks(n, 1, [&](int, int i) { return value(w.rank, 0, i); }),
      Buffer(static_cast<std::size_t>(n)),
      w.rank == 0 ? Buffer{} : blocks(n, 1, [&](int, int i) { return sum_up_to(w.rank, 0, i); }),
      [=](Buffer& in, Buffer& out) {
        MPI_Exscan(in.data(), out.data(), n, MPI_INT64_T, MPI_SUM, world());
      }};
}

const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> kMakers{
      {"broadcast", broadcast}, {"reduce", reduce},     {"allreduce", allreduce},
      {"barrier", barrier},     {"gather", gather},     {"scatter", scatter},
      {"allgather", allgather}, {"alltoall", alltoall}, {"reduce-scatter", reduce_scatter},
      {"scan", scan},           {"exscan", exscan}};
  return kMakers;
}

/// Starts calls at one moment on all ranks.
class Stopwatch {
 public:
  Stopwatch() {
    for (int i = 0; i < 3; ++i) {  // the first ones connect
      const std::int64_t start = now_ns();
      PMPI_Barrier(::world());
      PMPI_Bcast(&margin_, 1, MPI_INT64_T, 0, ::world());
      margin_ = 2 * (now_ns() - start) + 2'000'000;
    }
    PMPI_Allreduce(MPI_IN_PLACE, &margin_, 1, MPI_INT64_T, MPI_MAX, ::world());
  }

  /// Nanoseconds from the common start to the end of the last rank; the same on all ranks. A call
  /// that some rank heard of too late is done again, with more time to hear of it.
  std::int64_t time(const std::function<void()>& prepare, const std::function<void()>& call) {
    while (true) {
      prepare();
      PMPI_Barrier(::world());
      std::int64_t start = now_ns() + margin_;
      PMPI_Bcast(&start, 1, MPI_INT64_T, 0, ::world());
      const bool late = now_ns() > start;
      sleep_until(start);
      call();
      std::int64_t end_and_late[2] = {now_ns(), late ? 1 : 0};
      PMPI_Allreduce(MPI_IN_PLACE, end_and_late, 2, MPI_INT64_T, MPI_MAX, ::world());
      if (end_and_late[1] == 0) return end_and_late[0] - start;
      margin_ *= 2;
    }
  }

 private:
  std::int64_t margin_ = 0;
};

int run(const World& w, Stopwatch& stopwatch, const std::string& operation, long bytes, int root,
        int repeats) {
  const auto maker = makers().find(operation);
  const int count = static_cast<int>(bytes / static_cast<long>(sizeof(Element)));
  if (maker == makers().end() || root < 0 || root >= w.size || bytes % 8 != 0) {
    if (w.rank == 0) std::fprintf(stderr, "measure: cannot do %s\n", operation.c_str());
    return 2;
  }
  Case c = maker->second(w, count, root);
  int wrong = 0;
  std::vector<double> times;
  for (int i = 0; i < repeats + 3; ++i) {  // one that is told apart, two that warm up
    const auto prepare = [&] {
      if (c.in_place) {
        c.out = c.in;
      } else {
        std::fill(c.out.begin(), c.out.end(), -1);
      }
    };
    const std::int64_t ns = stopwatch.time(prepare, [&] { c.call(c.in, c.out); });
    times.push_back(static_cast<double>(ns) / 1e3);
    if (!c.expected.empty() && c.out != c.expected) ++wrong;
  }
  PMPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, world());
  if (w.rank == 0) {
    std::printf("measured %s %ld %d wrong %d first_us %.1f times_us", operation.c_str(), bytes,
                root, wrong, times[0]);
    for (std::size_t i = 3; i < times.size(); ++i) std::printf(" %.1f", times[i]);
    std::printf("\n");
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  World w;
  PMPI_Comm_rank(world(), &w.rank);
  PMPI_Comm_size(world(), &w.size);
  int code = argc < 3 ? 2 : 0;
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 0;
  Stopwatch stopwatch;
  for (int i = 2; i < argc && code == 0; ++i) {
    const std::string call = argv[i];
    const std::size_t first = call.find(':');
    const std::size_t second = call.find(':', first + 1);
    if (second == std::string::npos) {
      code = 2;
      break;
    }
    code = run(w, stopwatch, call.substr(0, first), std::atol(call.c_str() + first + 1),
               std::atoi(call.c_str() + second + 1), repeats);
  }
  MPI_Finalize();
  return code;
}
