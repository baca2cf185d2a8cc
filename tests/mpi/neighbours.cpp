// Random neighbourhood collectives on grids, graphs and distributed graphs, each run through MPI_X
// (interposed) and PMPI_X (native) and compared byte for byte: results, gaps, margins, places of
// MPI_PROC_NULL, the input. Every call must have been planned, but for communicators of one
// process, and for alltoalls where some rank has a neighbour several times. MPI_Neighbor_alltoallw
// is compared with messages instead. Ranks draw the same numbers, so they make the same calls.
//
//   neighbours [--seed S] [--cases N] [--max-count C] [--starts 1]   1: non-blocking and persistent
//                                                                   forms too
#include <algorithm>
#include <array>

#include "mpi/block_memory.hpp"
#include "mpi/persistent.hpp"

namespace espalier::mpi_test {
namespace {

using Block = BlockMemory::Block;
using Blocks = std::vector<Block>;
using Ranks = std::vector<int>;

/// A communicator with a topology, as MPI tells it.
struct Graph {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, size = 1;
  Ranks sources, destinations;
  bool repeats = false;  ///< some rank has a neighbour several times
  std::string name;
};

bool has_twice(Ranks list) {
  std::erase_if(list, [](int rank) { return rank < 0; });
  std::sort(list.begin(), list.end());
  return std::adjacent_find(list.begin(), list.end()) != list.end();
}

void look_at(Graph& graph) {
  MPI_Comm_rank(graph.comm, &graph.rank);
  MPI_Comm_size(graph.comm, &graph.size);
  int repeats = has_twice(graph.destinations) ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &repeats, 1, MPI_INT, MPI_MAX, graph.comm);
  graph.repeats = repeats != 0;
}

Graph make_grid(MPI_Comm from, int size, Random& shared) {
  Graph graph;
  const auto dimensions = static_cast<int>(1 + shared.below(3));
  std::array<int, 3> dims{}, periods{};
  MPI_Dims_create(size, dimensions, dims.data());
  if (shared.chance(50)) std::reverse(dims.begin(), dims.begin() + dimensions);
  for (int& period : periods) period = shared.chance(50) ? 1 : 0;
  MPI_Cart_create(from, dimensions, dims.data(), periods.data(), 0, &graph.comm);
  graph.name = "a grid";
  for (int d = 0; d < dimensions; ++d) {
    graph.name += (d == 0 ? " of " : " x ") + std::to_string(dims.at(static_cast<std::size_t>(d))) +
                  (periods.at(static_cast<std::size_t>(d)) != 0 ? " round" : "");
    int below = 0, above = 0;
    MPI_Cart_shift(graph.comm, d, 1, &below, &above);
    graph.sources.insert(graph.sources.end(), {below, above});
  }
  graph.destinations = graph.sources;
  return graph;
}

/// MPI_Graph_create: both ways along each edge.
Graph make_graph(MPI_Comm from, int size, Random& shared) {
  Graph graph;
  graph.name = "a graph";
  std::vector<Ranks> lists(static_cast<std::size_t>(size));
  const auto percent = static_cast<int>(20 + shared.below(80));
  for (std::size_t a = 0; a < lists.size(); ++a) {
    for (std::size_t b = a; b < lists.size(); ++b) {
      if (!shared.chance(percent)) continue;
      lists[a].push_back(static_cast<int>(b));
      if (a != b) lists[b].push_back(static_cast<int>(a));
    }
  }
  Ranks index, edges;
  for (Ranks& list : lists) {
    shared.shuffle(std::span(list));
    edges.insert(edges.end(), list.begin(), list.end());
    index.push_back(static_cast<int>(edges.size()));
  }
  if (edges.empty()) edges.push_back(0);  // so that there is an address
  MPI_Graph_create(from, size, index.data(), edges.data(), 0, &graph.comm);
  int rank = 0;
  MPI_Comm_rank(graph.comm, &rank);
  graph.sources = lists[static_cast<std::size_t>(rank)];
  graph.destinations = graph.sources;
  return graph;
}

Graph make_distributed(MPI_Comm from, int size, Random& shared) {
  Graph graph;
  const bool repeats = shared.chance(20), weighs = shared.chance(20);
  const bool has_lonely = shared.chance(25);  // ranks without sources or destinations
  graph.name = repeats ? "a distributed graph with repeated edges" : "a distributed graph";
  if (weighs) graph.name += " with weights";
  if (has_lonely) graph.name += ", ranks without neighbours in it";
  std::vector<Ranks> to(static_cast<std::size_t>(size)), come(to.size());
  const auto percent = static_cast<int>(shared.below(100));
  for (std::size_t a = 0; a < to.size(); ++a) {
    for (std::size_t b = 0; b < to.size(); ++b) {
      const bool is_next = !has_lonely && b == (a + 1) % to.size();
      if (!is_next && !shared.chance(percent)) continue;
      for (int times = repeats && shared.chance(30) ? 2 : 1; times > 0; --times) {
        to[a].push_back(static_cast<int>(b));
        come[b].push_back(static_cast<int>(a));
      }
    }
  }
  for (std::size_t r = 0; r < to.size(); ++r) {
    shared.shuffle(std::span(to[r]));
    shared.shuffle(std::span(come[r]));
  }
  int rank = 0;
  MPI_Comm_rank(from, &rank);
  graph.sources = come[static_cast<std::size_t>(rank)];
  graph.destinations = to[static_cast<std::size_t>(rank)];
  // One entry more, so that there is an address: Open MPI 4.1 takes no list of nothing.
  Ranks in = graph.sources, out = graph.destinations;
  in.push_back(0);
  out.push_back(0);
  const Ranks weights(std::max(in.size(), out.size()), 3);
  const int* const weighed = weighs ? weights.data() : MPI_UNWEIGHTED;
  MPI_Dist_graph_create_adjacent(from, static_cast<int>(graph.sources.size()), in.data(), weighed,
                                 static_cast<int>(graph.destinations.size()), out.data(), weighed,
                                 MPI_INFO_NULL, 0, &graph.comm);
  return graph;
}

class Neighbours {
 public:
  Neighbours(std::uint64_t max_count, bool starts)
      : types_(make_types()), max_count_(max_count), starts_(starts) {}

  /// Some calls on one communicator.
  void run(std::uint64_t seed) {
    Random shared(seed);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm part = MPI_COMM_NULL;
    const std::uint64_t parts = shared.chance(70) ? 1 : 2, state = shared.next();
    Random own(state + static_cast<std::uint64_t>(rank));
    MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(own.below(parts)),
                   static_cast<int>(own.below(1000)), &part);
    int size = 0;
    MPI_Comm_size(part, &size);
    // The parts go ways of their own: sizes differ.
    Random ours(shared.next() + static_cast<std::uint64_t>(size));
    const std::uint64_t kind = ours.below(3);
    graph_ = kind == 0   ? make_grid(part, size, ours)
             : kind == 1 ? make_graph(part, size, ours)
                         : make_distributed(part, size, ours);
    look_at(graph_);
    for (int call = 0; call < 6; ++call) {
      type_ = ours.below(types_.size());
      count_ =
          ours.chance(20) ? 0 : static_cast<int>(ours.below(ours.chance(20) ? max_count_ : 40));
      state_ = ours.next();
      own_ = Random(ours.next() + 1009 * static_cast<std::uint64_t>(graph_.rank));
      label_ = "--seed " + std::to_string(seed) + ": call " + std::to_string(call) + " on " +
               graph_.name + ", " + std::to_string(graph_.size) + " ranks, ";
      // The first call tells the graph. What may be native blocks: Open MPI's own non-blocking
      // forms have bugs.
      const bool may_start = starts_ && call > 0 && graph_.size > 1 && !graph_.repeats;
      form_ = may_start ? static_cast<Form>(ours.below(3)) : Form::Blocking;
      const std::uint64_t which = ours.below(5);
      if (which == 4 && (graph_.size == 1 || graph_.repeats)) continue;  // that one is native
      one_call(which);
    }
    MPI_Comm_free(&graph_.comm);
    MPI_Comm_free(&part);
  }

  [[nodiscard]] const Failures& failures() const { return failures_; }

 private:
  enum class Form { Blocking, Starting, Persistent };

  /// Makes a call by one of its forms, and waits for it. The persistent one is started twice.
  template <typename Blocking, typename Starting, typename Init, typename... Arguments>
  int make(Blocking blocking, Starting starting, Init init, Arguments... arguments) {
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_SUCCESS;
    if (form_ == Form::Blocking) {
      code = blocking(arguments..., graph_.comm);
    } else if (form_ == Form::Starting) {
      code = starting(arguments..., graph_.comm, &request);
    } else {
      code = init(arguments..., graph_.comm, MPI_INFO_NULL, &request);
    }
    was_planned_ = last_was_planned();
    text_ = last_text();
    if (form_ == Form::Starting) MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int start = 0; form_ == Form::Persistent && start < 2; ++start) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (form_ == Form::Persistent) MPI_Request_free(&request);
    return code;
  }

  void one_call(std::uint64_t which) {
    static constexpr std::array kNames{"allgather", "allgatherv", "alltoall", "alltoallv",
                                       "alltoallw"};
    static constexpr std::array kForms{"", ", non-blocking", ", persistent"};
    label_ += std::string(kNames.at(which)) + kForms.at(static_cast<std::size_t>(form_));
    switch (which) {
      case 0:
      case 2:
        return equal_blocks(which == 2);
      case 1:
        return allgatherv();
      default:
        return unequal_blocks(which == 4);
    }
  }

  void expect_planned(int code, bool is_alltoall) {
    failures_.expect(code == MPI_SUCCESS, label_ + ": returns an error");
    const bool may_be_native = graph_.size == 1 || (is_alltoall && graph_.repeats);
    failures_.expect(was_planned_ != may_be_native,
                     label_ + (may_be_native ? " was planned" : " was native: " + text_));
  }
  template <typename Side>
  void expect_same(const Side& ours, const Side& theirs, const char* what) {
    failures_.expect(ours.bytes() == theirs.bytes(), label_ + ": other bytes, " + what);
  }

  /// What one rank has for another, as either of them sees it. A type of ints may be plain ints.
  [[nodiscard]] Block between(int from, int to, bool any_types, bool sees_ints) const {
    Random pair(state_ + static_cast<std::uint64_t>(from + 1) * 4001 +
                static_cast<std::uint64_t>(to + 1));
    const TestType& type = types_[any_types ? pair.below(types_.size()) : type_];
    const int count =
        pair.chance(25) ? 0 : static_cast<int>(pair.below(pair.chance(10) ? max_count_ : 30));
    return as_seen(type, count, sees_ints);
  }
  [[nodiscard]] Block as_seen(const TestType& type, int count, bool sees_ints) const {
    if (!sees_ints || !type.is_of_ints) return {&type, count};
    return {types_.data(), count * static_cast<int>(type.size / 4)};
  }

  void equal_blocks(bool is_alltoall) {
    const TestType& type = types_[type_];
    const Block sent = as_seen(type, count_, own_.chance(20));
    const Block got = as_seen(type, count_, own_.chance(20));
    const int blocks_sent = is_alltoall ? static_cast<int>(graph_.destinations.size()) : 1;
    const int blocks_got = static_cast<int>(graph_.sources.size());
    Memory in(*sent.type, sent.count * blocks_sent, own_.next());
    Memory ours(*got.type, got.count * blocks_got, own_.next());
    const Memory before = in;
    Memory theirs = ours;
    const auto ask = [&](auto blocking, auto starting, auto init) {
      return make(blocking, starting, init, in.address(), sent.count, sent.type->type,
                  ours.address(), got.count, got.type->type);
    };
    expect_planned(
        is_alltoall
            ? ask(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, PERSISTENT(Neighbor_alltoall))
            : ask(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, PERSISTENT(Neighbor_allgather)),
        is_alltoall);
    (is_alltoall ? PMPI_Neighbor_alltoall : PMPI_Neighbor_allgather)(
        in.address(), sent.count, sent.type->type, theirs.address(), got.count, got.type->type,
        graph_.comm);
    expect_same(ours, theirs, "received");
    expect_same(in, before, "sent");
  }

  /// The lengths of all that a rank sends are the same.
  void allgatherv() {
    const bool ints_sent = own_.chance(20), ints_got = own_.chance(20);
    BlockMemory in({between(graph_.rank, -1, false, ints_sent)}, false, own_);
    Blocks blocks;
    for (const int from : graph_.sources) blocks.push_back(between(from, -1, false, ints_got));
    if (blocks.empty()) blocks.push_back(between(0, 0, false, false));  // so that it has a type
    BlockMemory ours(blocks, false, own_);
    const BlockMemory before = in;
    BlockMemory theirs = ours;
    expect_planned(make(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv,
                        PERSISTENT(Neighbor_allgatherv), in.block(0), in.counts()[0], in.type(),
                        ours.address(), ours.counts(), ours.displacements(), ours.type()),
                   false);
    PMPI_Neighbor_allgatherv(in.block(0), in.counts()[0], in.type(), theirs.address(),
                             theirs.counts(), theirs.displacements(), theirs.type(), graph_.comm);
    expect_same(ours, theirs, "received");
    expect_same(in, before, "sent");
  }

  static std::vector<MPI_Aint> in_bytes(const BlockMemory& memory, std::size_t blocks) {
    return {memory.displacements(), memory.displacements() + blocks};
  }

  /// Offsets from a buffer as addresses, at MPI_BOTTOM.
  static void make_absolute(void*& buffer, std::vector<MPI_Aint>& offsets) {
    MPI_Aint begin = 0;
    MPI_Get_address(buffer, &begin);
    for (MPI_Aint& offset : offsets) offset += begin;
    buffer = MPI_BOTTOM;
  }

  /// What MPI_Neighbor_alltoallw is by definition. MPICH 4.0.2's own brings wrong data or crashes
  /// on distributed graphs.
  void by_messages(BlockMemory& in, const std::vector<MPI_Aint>& from, BlockMemory& out,
                   const std::vector<MPI_Aint>& to) {
    std::vector<MPI_Request> requests;
    const auto at = [](BlockMemory& memory, MPI_Aint offset) {
      return static_cast<char*>(memory.address()) + offset;
    };
    for (std::size_t i = 0; i < graph_.sources.size(); ++i) {
      PMPI_Irecv(at(out, to[i]), out.counts()[i], out.types()[i], graph_.sources[i], 5, graph_.comm,
                 &requests.emplace_back());
    }
    for (std::size_t i = 0; i < graph_.destinations.size(); ++i) {
      PMPI_Isend(at(in, from[i]), in.counts()[i], in.types()[i], graph_.destinations[i], 5,
                 graph_.comm, &requests.emplace_back());
    }
    PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  void unequal_blocks(bool any_types) {
    const bool ints_sent = own_.chance(20), ints_got = own_.chance(20);
    Blocks sent, got;
    for (const int to : graph_.destinations) {
      sent.push_back(between(graph_.rank, to, any_types, ints_sent));
    }
    for (const int from : graph_.sources) {
      got.push_back(between(from, graph_.rank, any_types, ints_got));
    }
    for (Blocks* some : {&sent, &got}) {
      if (some->empty()) some->push_back(between(0, 0, false, false));
    }
    BlockMemory in(sent, any_types, own_), ours(got, any_types, own_);
    const BlockMemory before = in;
    BlockMemory theirs = ours;
    if (any_types) {
      const auto from = in_bytes(in, sent.size()), to = in_bytes(ours, got.size());
      auto sent_at = from, got_at = to;
      void* send_buffer = in.address();
      void* receive_buffer = ours.address();
      if (own_.chance(30)) make_absolute(send_buffer, sent_at);
      if (own_.chance(30)) make_absolute(receive_buffer, got_at);
      expect_planned(make(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw,
                          PERSISTENT(Neighbor_alltoallw), send_buffer, in.counts(), sent_at.data(),
                          in.types(), receive_buffer, ours.counts(), got_at.data(), ours.types()),
                     true);
      by_messages(in, from, theirs, to);
    } else {
      expect_planned(
          make(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, PERSISTENT(Neighbor_alltoallv),
               in.address(), in.counts(), in.displacements(), in.type(), ours.address(),
               ours.counts(), ours.displacements(), ours.type()),
          true);
      PMPI_Neighbor_alltoallv(in.address(), in.counts(), in.displacements(), in.type(),
                              theirs.address(), theirs.counts(), theirs.displacements(),
                              theirs.type(), graph_.comm);
    }
    expect_same(ours, theirs, "received");
    expect_same(in, before, "sent");
  }

  std::vector<TestType> types_;
  std::uint64_t max_count_;
  bool starts_;
  Failures failures_;
  // Of the call that runs.
  Graph graph_;
  std::size_t type_ = 0;
  int count_ = 0;
  std::uint64_t state_ = 0;
  Random own_{0};
  std::string label_, text_;
  Form form_ = Form::Blocking;
  bool was_planned_ = false;
};

int class_of(int code) {
  int found = 0;
  MPI_Error_class(code, &found);
  return found;
}

/// The first call with neighbours, while errors end the program: nobody has neighbours.
void without_edges(Failures& failures) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) return;
  const Ranks index(static_cast<std::size_t>(size), 0);
  const int none = 0;
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Graph_create(MPI_COMM_WORLD, size, index.data(), &none, 0, &graph);
  const int value = 1;
  int got = -1;
  const int code = MPI_Neighbor_allgather(&value, 1, MPI_INT, &got, 1, MPI_INT, graph);
  failures.expect(last_was_planned(), "without edges it was native: " + last_text());
  failures.expect(code == MPI_SUCCESS && got == -1, "an allgather without edges");
  MPI_Comm_free(&graph);
}

/// All send to rank 0, which has nobody to send to, and nothing to send.
void star(Failures& failures) {
  int size = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (size < 2) return;
  Ranks others;
  for (int other = 1; other < size; ++other) others.push_back(other);
  const int first = 0, in = rank == 0 ? size - 1 : 0, out = rank == 0 ? 0 : 1;
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, others.data(), MPI_UNWEIGHTED, out, &first,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  const Ranks counts(others.size(), 1);
  Ranks displacements;
  for (int i = 0; i < size - 1; ++i) displacements.push_back(i);
  for (const bool is_irregular : {false, true}) {
    Ranks got(others.size(), -1);
    const int* const sent = rank == 0 ? nullptr : &rank;
    const int code = is_irregular
                         ? MPI_Neighbor_allgatherv(sent, 1, MPI_INT, got.data(), counts.data(),
                                                   displacements.data(), MPI_INT, graph)
                         : MPI_Neighbor_allgather(sent, 1, MPI_INT, got.data(), 1, MPI_INT, graph);
    failures.expect(last_was_planned(), "to one rank it was native: " + last_text());
    failures.expect(code == MPI_SUCCESS && got == (rank == 0 ? others : Ranks(others.size(), -1)),
                    "an allgather to one rank");
  }
  MPI_Comm_free(&graph);
}

/// What is wrong is refused as the library does, on all ranks, and the next call is right again.
void refusals(Failures& failures) {
  int size = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int value = rank;
  std::array<int, 2> got{-1, -1};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const auto gather = [&](auto function, int count, MPI_Comm comm) {
    return class_of(function(&value, count, MPI_INT, got.data(), 1, MPI_INT, comm));
  };
  failures.expect(gather(MPI_Neighbor_allgather, 1, MPI_COMM_WORLD) ==
                      gather(PMPI_Neighbor_allgather, 1, MPI_COMM_WORLD),
                  "another error without a topology");
  if (size < 3) return;
  MPI_Comm ring = MPI_COMM_NULL;
  const int round = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &round, 0, &ring);
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  for (int again = 0; again < 2; ++again) {
    got = {-1, -1};
    gather(MPI_Neighbor_allgather, 1, ring);
    failures.expect(last_was_planned(), "a right call was native: " + last_text());
    failures.expect(got[0] == (rank + size - 1) % size && got[1] == (rank + 1) % size,
                    "a right call beside wrong ones");
    failures.expect(
        gather(MPI_Neighbor_allgather, -1, ring) == gather(PMPI_Neighbor_allgather, -1, ring),
        "another error for a negative count");
  }
  MPI_Comm_free(&ring);
}

int run_all(int argc, char** argv) {
  const std::uint64_t seed = option(argc, argv, "--seed", 1);
  const std::uint64_t cases = option(argc, argv, "--cases", 100);
  if (!library_is_there()) {
    std::fprintf(stderr, "the library is not preloaded\n");
    return 1;
  }
  int rank = 0, size = 1, failed = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Failures refused;
  without_edges(refused);
  star(refused);
  refusals(refused);
  failed = refused.everywhere();
  {
    Neighbours test(option(argc, argv, "--max-count", 20000),
                    option(argc, argv, "--starts", 0) != 0);
    for (std::uint64_t i = 0; i < cases; ++i) test.run(seed + i);
    failed += test.failures().everywhere();
  }
  if (rank == 0) {
    std::printf("%d ranks: %llu cases, %d failures\n", size, static_cast<unsigned long long>(cases),
                failed);
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run_all);
}
