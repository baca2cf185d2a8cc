// Makes the calls that it is told, and says along which plan each of them ran.
//
//     what_runs OPERATION:BYTES:ROOT|OPERATION:FILE:ROOT:CALLS ...
//
// BYTES are those of the vector, or of a block; reductions sum doubles. Operations with blocks of
// unequal lengths (scatterv ...) take a FILE with a length for each rank, alltoallv for each pair;
// they are called CALLS times on a communicator of their own. Rank 0 prints one line for each word:
// the word as given, a tab, and the plan's name at the root in the last call, or "native".
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

struct Call {
  std::string operation;
  int bytes = 0;
  int root = 0;
};

Call call_from(const std::string& word) {
  const std::size_t first = word.find(':'), second = word.find(':', first + 1);
  return {word.substr(0, first), std::stoi(word.substr(first + 1, second - first - 1)),
          std::stoi(word.substr(second + 1))};
}

/// Makes a call; false: there is no such operation.
bool make(const Call& call, std::vector<char>& in, std::vector<char>& out) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const int n = call.bytes, numbers = call.bytes / 8, root = call.root;
  void* const from = in.data();
  void* const to = out.data();
  const std::map<std::string, std::function<void()>> calls{
      {"broadcast", [&] { MPI_Bcast(to, n, MPI_BYTE, root, world); }},
      {"reduce", [&] { MPI_Reduce(from, to, numbers, MPI_DOUBLE, MPI_SUM, root, world); }},
      {"allreduce", [&] { MPI_Allreduce(from, to, numbers, MPI_DOUBLE, MPI_SUM, world); }},
      {"barrier", [&] { MPI_Barrier(world); }},
      {"gather", [&] { MPI_Gather(from, n, MPI_BYTE, to, n, MPI_BYTE, root, world); }},
      {"scatter", [&] { MPI_Scatter(from, n, MPI_BYTE, to, n, MPI_BYTE, root, world); }},
      {"allgather", [&] { MPI_Allgather(from, n, MPI_BYTE, to, n, MPI_BYTE, world); }},
      {"alltoall", [&] { MPI_Alltoall(from, n, MPI_BYTE, to, n, MPI_BYTE, world); }},
      {"reduce-scatter",
       [&] { MPI_Reduce_scatter_block(from, to, numbers, MPI_DOUBLE, MPI_SUM, world); }},
      {"scan", [&] { MPI_Scan(from, to, numbers, MPI_DOUBLE, MPI_SUM, world); }},
      {"exscan", [&] { MPI_Exscan(from, to, numbers, MPI_DOUBLE, MPI_SUM, world); }}};
  const auto found = calls.find(call.operation);
  if (found == calls.end()) return false;
  found->second();
  return true;
}

/// Lengths and displacements of blocks that lie one behind the other.
struct Blocks {
  std::vector<int> counts, displacements;
  explicit Blocks(std::vector<int> lengths) : counts(std::move(lengths)), displacements(counts) {
    std::exclusive_scan(counts.begin(), counts.end(), displacements.begin(), 0);
  }
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0));
  }
};

/// Calls of an operation with blocks of unequal lengths.
class UnequalCalls {
 public:
  UnequalCalls(MPI_Comm comm, int root, const std::string& file) : comm_(comm), root_(root) {
    std::ifstream in(file);
    lengths_.assign(std::istream_iterator<int>(in), {});
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  /// False: there is no such operation, or an allgatherv brought something else.
  bool make(const std::string& operation, int calls) {
    if (operation == "alltoallv") return lengths_.size() == ranks() * ranks() && exchange(calls);
    if (lengths_.size() != ranks()) return false;
    const Blocks all(lengths_);
    const int own = all.counts[static_cast<std::size_t>(rank_)];
    std::vector<char> mine(static_cast<std::size_t>(own) + 1, byte_of(rank_));
    std::vector<char> whole(all.bytes() + 1);
    const int *const counts = all.counts.data(), *const at = all.displacements.data();
    for (int call = 0; call < calls; ++call) {
      if (operation == "scatterv") {
        MPI_Scatterv(whole.data(), counts, at, MPI_BYTE, mine.data(), own, MPI_BYTE, root_, comm_);
      } else if (operation == "gatherv") {
        MPI_Gatherv(mine.data(), own, MPI_BYTE, whole.data(), counts, at, MPI_BYTE, root_, comm_);
      } else if (operation == "allgatherv") {
        std::fill(whole.begin(), whole.end(), 0);
        MPI_Allgatherv(mine.data(), own, MPI_BYTE, whole.data(), counts, at, MPI_BYTE, comm_);
        if (!is_gathered(all, whole)) return false;
      } else {
        return false;
      }
    }
    return true;
  }

 private:
  static char byte_of(int rank) { return static_cast<char>(1 + rank % 100); }
  static bool is_gathered(const Blocks& all, const std::vector<char>& whole) {
    for (std::size_t r = 0; r < all.counts.size(); ++r) {
      const auto begin = whole.begin() + all.displacements[r];
      const auto is_right = [&](char byte) { return byte == byte_of(static_cast<int>(r)); };
      if (!std::all_of(begin, begin + all.counts[r], is_right)) return false;
    }
    return true;
  }
  [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(size_); }
  bool exchange(int calls) {
    std::vector<int> gives, takes;
    for (std::size_t r = 0; r < ranks(); ++r) {
      gives.push_back(lengths_[static_cast<std::size_t>(rank_) * ranks() + r]);
      takes.push_back(lengths_[r * ranks() + static_cast<std::size_t>(rank_)]);
    }
    const Blocks out(gives), in(takes);
    std::vector<char> from(out.bytes() + 1), to(in.bytes() + 1);
    for (int call = 0; call < calls; ++call) {
      MPI_Alltoallv(from.data(), out.counts.data(), out.displacements.data(), MPI_BYTE, to.data(),
                    in.counts.data(), in.displacements.data(), MPI_BYTE, comm_);
    }
    return true;
  }

  MPI_Comm comm_;
  int root_ = 0, rank_ = 0, size_ = 1;
  std::vector<int> lengths_;
};

/// The plan that the root saw in the last call, on all ranks.
std::string last_at(int root) {
  std::array<char, 256> name{};
  std::snprintf(name.data(), name.size(), "%s",
                last_was_planned() ? last_text().c_str() : "native");
  PMPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, root, MPI_COMM_WORLD);
  return name.data();
}

/// OPERATION:FILE:ROOT:CALLS. Empty: there is no such operation.
std::string unequal(const std::string& word) {
  const std::size_t calls = word.rfind(':'), root = word.rfind(':', calls - 1);
  const std::size_t file = word.find(':');
  const int from = std::stoi(word.substr(root + 1, calls - root - 1));
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const bool is_made = UnequalCalls(comm, from, word.substr(file + 1, root - file - 1))
                           .make(word.substr(0, file), std::stoi(word.substr(calls + 1)));
  std::string name = is_made ? last_at(from) : "";
  MPI_Comm_free(&comm);
  return name;
}

int run(int argc, char** argv) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.find("v:") != std::string::npos) {
      const std::string name = unequal(word);
      if (name.empty()) return 2;
      if (rank == 0) std::printf("%s\t%s\n", argv[i], name.c_str());
      continue;
    }
    const Call call = call_from(argv[i]);
    std::vector<char> in(static_cast<std::size_t>(call.bytes) * static_cast<std::size_t>(size));
    std::vector<char> out(in.size());
    // The first call that would gain makes the hidden communicator, and is native itself.
    for (int again = 0; again < 2; ++again) {
      if (!make(call, in, out)) return 2;
    }
    if (rank != 0) continue;
    int planned = 0;
    const char* const name = espalier_query_last(&planned);
    std::printf("%s\t%s\n", argv[i], planned != 0 ? name : "native");
  }
  return 0;
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
