// Multicasts along trees that are given, with MPI's own sends and receives, and round trips of all
// pairs. `espalier reproduce banikazemi --on lab` starts it.
//
//   espalier-trees trees REPEATS BYTES NAME=TREES...
//   espalier-trees pairs REPEATS BYTES
//
// TREES: one tree for each multicast that runs at the same time, with ";" between them; a tree is
// its edges, 0>3,0>5,3>7, those of one sender in the order in which it sends. Prints for each name
// "trees NAME MEDIAN_US WRONG": from a common start to the end of the last rank. For each pair of
// ranks "pair A B MEDIAN_US".
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <sstream>
#include <string>
#include <vector>

#include "measure/clocks.hpp"

namespace {

/// This rank's part of one multicast.
struct Part {
  int tag = 0;
  int parent = -1;  ///< -1: the root, or nobody's child
  bool takes_part = false;
  std::vector<int> children;
  std::vector<char> data;
};

/// Parts of all multicasts; empty if the text is no trees.
std::vector<Part> parts_from(const std::string& text, int rank, int bytes) {
  std::vector<Part> parts;
  std::istringstream trees(text);
  for (std::string tree; std::getline(trees, tree, ';');) {
    Part part;
    part.tag = static_cast<int>(parts.size());
    part.data.resize(static_cast<std::size_t>(bytes));
    std::istringstream edges(tree);
    for (std::string edge; std::getline(edges, edge, ',');) {
      int from = -1, to = -1;
      if (std::sscanf(edge.c_str(), "%d>%d", &from, &to) != 2) return {};
      if (from == rank) part.children.push_back(to);
      if (to == rank) part.parent = from;
    }
    part.takes_part = part.parent >= 0 || !part.children.empty();
    parts.push_back(std::move(part));
  }
  return parts;
}

char mark_of(const Part& part) { return static_cast<char>(part.tag + 1); }

/// Sends what is there in the order in which it came; a busy rank is busy for all multicasts.
void run_at_once(std::vector<Part>& parts) {
  std::vector<MPI_Request> requests;
  std::vector<std::size_t> waits_for;  // part of each request
  std::deque<std::pair<std::size_t, int>> to_send;
  const auto pass_on = [&](std::size_t p) {
    for (const int child : parts[p].children) to_send.emplace_back(p, child);
  };
  for (std::size_t p = 0; p < parts.size(); ++p) {
    Part& part = parts[p];
    if (!part.takes_part) continue;
    if (part.parent < 0) {
      pass_on(p);
      continue;
    }
    requests.emplace_back();
    waits_for.push_back(p);
    MPI_Irecv(part.data.data(), static_cast<int>(part.data.size()), MPI_CHAR, part.parent, part.tag,
              MPI_COMM_WORLD, &requests.back());
  }
  std::size_t open = requests.size();
  const int count = static_cast<int>(requests.size());
  while (open > 0 || !to_send.empty()) {
    int which = MPI_UNDEFINED, is_there = 0;
    if (!to_send.empty()) {
      const auto [p, child] = to_send.front();
      to_send.pop_front();
      MPI_Send(parts[p].data.data(), static_cast<int>(parts[p].data.size()), MPI_CHAR, child,
               parts[p].tag, MPI_COMM_WORLD);
      if (open > 0) {
        MPI_Testany(count, requests.data(), &which, &is_there, MPI_STATUS_IGNORE);
      }
    } else {
      MPI_Waitany(count, requests.data(), &which, MPI_STATUS_IGNORE);
      is_there = 1;
    }
    if (is_there == 0 || which == MPI_UNDEFINED) continue;
    --open;
    pass_on(waits_for[static_cast<std::size_t>(which)]);
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

bool time_trees(const std::string& argument, int repeats, int bytes, measure::SharedClock& clock) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos) return false;
  const int rank = measure::world_rank();
  std::vector<Part> parts = parts_from(argument.substr(equals + 1), rank, bytes);
  if (parts.empty()) return false;
  int wrong = 0;
  const measure::Timed timed{
      [&] {
        for (Part& part : parts) {
          std::memset(part.data.data(), part.parent < 0 ? mark_of(part) : 0, part.data.size());
        }
      },
      [&] { run_at_once(parts); },
      [&] {
        for (const Part& part : parts) {
          const char mark = mark_of(part);
          wrong += part.takes_part && !std::all_of(part.data.begin(), part.data.end(),
                                                   [&](char c) { return c == mark; })
                       ? 1
                       : 0;
        }
      }};
  std::vector<double> us;
  (void)clock.time(timed);  // connects
  for (int i = 0; i < repeats; ++i) us.push_back(static_cast<double>(clock.time(timed)) / 1e3);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("trees %s %.1f %d\n", argument.substr(0, equals).c_str(), median(us), wrong);
  }
  return true;
}

void time_pairs(int repeats, int bytes) {
  const int rank = measure::world_rank();
  std::vector<char> data(static_cast<std::size_t>(bytes));
  const auto send = [&](int to) { MPI_Send(data.data(), bytes, MPI_CHAR, to, 1, MPI_COMM_WORLD); };
  const auto receive = [&](int from) {
    MPI_Recv(data.data(), bytes, MPI_CHAR, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  };
  for (int a = 0; a < measure::world_size(); ++a) {
    for (int b = a + 1; b < measure::world_size(); ++b) {
      MPI_Barrier(MPI_COMM_WORLD);
      std::vector<double> us;
      for (int i = 0; i <= repeats; ++i) {
        const std::int64_t begin = measure::now_ns();
        if (rank == a) send(b);
        if (rank == b) receive(a);
        if (rank == b) send(a);
        if (rank == a) receive(b);
        if (i > 0) us.push_back(static_cast<double>(measure::now_ns() - begin) / 1e3);
      }
      double found = rank == a ? median(us) : 0;
      MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (rank == 0) std::printf("pair %d %d %.1f\n", a, b, found);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string what = argc > 3 ? argv[1] : "";
  const int repeats = argc > 3 ? std::atoi(argv[2]) : 0;
  const int bytes = argc > 3 ? std::atoi(argv[3]) : 0;
  bool is_right = repeats > 0 && bytes > 0;
  if (is_right && what == "pairs") {
    time_pairs(repeats, bytes);
  } else if (is_right && what == "trees" && argc > 4) {
    measure::SharedClock clock;
    for (int i = 4; i < argc && is_right; ++i)
      is_right = time_trees(argv[i], repeats, bytes, clock);
  } else {
    is_right = false;
  }
  if (!is_right && measure::world_rank() == 0) {
    std::fprintf(stderr,
                 "usage: espalier-trees trees REPEATS BYTES NAME=TREES... | pairs REPEATS BYTES\n");
  }
  MPI_Finalize();
  return is_right ? 0 : 2;
}
