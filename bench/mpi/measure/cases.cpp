#include "cases.hpp"

#include <cstring>
#include <map>

namespace measure {
namespace {

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

using IsRight = std::function<bool(const Buffer&)>;

/// Whether block b of a buffer for P blocks holds f(b, i).
IsRight holds(int count, int blocks_in_it, std::function<Element(int, int)> f) {
  return [=](const Buffer& out) {
    std::size_t at = 0;
    for (int b = 0; b < blocks_in_it; ++b) {
      for (int i = 0; i < count; ++i) {
        if (out[at++] != f(b, i)) return false;
      }
    }
    return true;
  };
}
bool anything(const Buffer&) { return true; }

/// Of value(r, to, i) over ranks 0 .. ranks - 1.
Element sum_up_to(int ranks, int to, int i) {
  return ranks * (ranks - 1LL) / 2 * 1000003LL + ranks * value(0, to, i);
}

Buffer own(const CommRank& w, int n) {
  return blocks(n, 1, [&](int, int i) { return value(w.rank, 0, i); });
}
Buffer room(int n, int blocks_in_it = 1) {
  return Buffer(static_cast<std::size_t>(n) * static_cast<std::size_t>(blocks_in_it));
}

/// Of any number of bytes; elements at the end that are not whole do not travel.
Case broadcast(const CommRank& w, long bytes, int root) {
  const int whole = static_cast<int>(bytes / static_cast<long>(sizeof(Element)));
  const bool by_bytes = bytes % static_cast<long>(sizeof(Element)) != 0;
  const int count = whole + (by_bytes ? 1 : 0);
  const auto sent = [root](int, int i) { return value(root, 0, i); };
  Buffer in = w.rank == root ? blocks(count, 1, sent) : Buffer(static_cast<std::size_t>(count), -1);
  if (by_bytes) {
    in.back() = sent(0, whole);
    const auto rest = static_cast<std::size_t>(bytes) % sizeof(Element);
    if (w.rank != root) std::memset(&in.back(), 0xff, rest);
  }
  const MPI_Comm comm = w.comm;
  return {std::move(in), room(count), holds(count, 1, sent),
          [=](Buffer&, Buffer& out) {
            if (by_bytes) {
              MPI_Bcast(out.data(), static_cast<int>(bytes), MPI_BYTE, root, comm);
            } else {
              MPI_Bcast(out.data(), whole, MPI_INT64_T, root, comm);
            }
          },
          /*in_place=*/true};
}

Case reduce(const CommRank& w, int n, int root) {
  const MPI_Comm comm = w.comm;
  const bool is_root = w.rank == root;
  return {own(w, n), room(is_root ? n : 0),
          is_root ? holds(n, 1, [=](int, int i) { return sum_up_to(w.size, 0, i); })
                  : IsRight(anything),
          [=](Buffer& in, Buffer& out) {
            MPI_Reduce(in.data(), out.data(), n, MPI_INT64_T, MPI_SUM, root, comm);
          }};
}

Case allreduce(const CommRank& w, int n, int) {
  const MPI_Comm comm = w.comm;
  return {own(w, n), room(n), holds(n, 1, [=](int, int i) { return sum_up_to(w.size, 0, i); }),
          [=](Buffer& in, Buffer& out) {
            MPI_Allreduce(in.data(), out.data(), n, MPI_INT64_T, MPI_SUM, comm);
          }};
}

Case barrier(const CommRank& w, int, int) {
  const MPI_Comm comm = w.comm;
  return {{}, {}, anything, [=](Buffer&, Buffer&) { MPI_Barrier(comm); }};
}

Case gather(const CommRank& w, int n, int root) {
  const MPI_Comm comm = w.comm;
  const bool is_root = w.rank == root;
  return {
      own(w, n), room(is_root ? n : 0, w.size),
      is_root ? holds(n, w.size, [](int b, int i) { return value(b, 0, i); }) : IsRight(anything),
      [=](Buffer& in, Buffer& out) {
        MPI_Gather(in.data(), n, MPI_INT64_T, out.data(), n, MPI_INT64_T, root, comm);
      }};
}

Case scatter(const CommRank& w, int n, int root) {
  const MPI_Comm comm = w.comm;
  const bool is_root = w.rank == root;
  return {is_root ? blocks(n, w.size, [](int b, int i) { return value(0, b, i); }) : Buffer{},
          room(n), holds(n, 1, [=](int, int i) { return value(0, w.rank, i); }),
          [=](Buffer& in, Buffer& out) {
            MPI_Scatter(in.data(), n, MPI_INT64_T, out.data(), n, MPI_INT64_T, root, comm);
          }};
}

Case allgather(const CommRank& w, int n, int) {
  const MPI_Comm comm = w.comm;
  return {own(w, n), room(n, w.size), holds(n, w.size, [](int b, int i) { return value(b, 0, i); }),
          [=](Buffer& in, Buffer& out) {
            MPI_Allgather(in.data(), n, MPI_INT64_T, out.data(), n, MPI_INT64_T, comm);
          }};
}

Case alltoall(const CommRank& w, int n, int) {
  const MPI_Comm comm = w.comm;
  return {blocks(n, w.size, [&](int b, int i) { return value(w.rank, b, i); }), room(n, w.size),
          holds(n, w.size, [=](int b, int i) { return value(b, w.rank, i); }),
          [=](Buffer& in, Buffer& out) {
            MPI_Alltoall(in.data(), n, MPI_INT64_T, out.data(), n, MPI_INT64_T, comm);
          }};
}

Case reduce_scatter(const CommRank& w, int n, int) {
  const MPI_Comm comm = w.comm;
  return {blocks(n, w.size, [&](int b, int i) { return value(w.rank, b, i); }), room(n),
          holds(n, 1, [=](int, int i) { return sum_up_to(w.size, w.rank, i); }),
          [=](Buffer& in, Buffer& out) {
            MPI_Reduce_scatter_block(in.data(), out.data(), n, MPI_INT64_T, MPI_SUM, comm);
          }};
}

Case scan(const CommRank& w, int n, int) {
  const MPI_Comm comm = w.comm;
  return {own(w, n), room(n), holds(n, 1, [=](int, int i) { return sum_up_to(w.rank + 1, 0, i); }),
          [=](Buffer& in, Buffer& out) {
            MPI_Scan(in.data(), out.data(), n, MPI_INT64_T, MPI_SUM, comm);
          }};
}

Case exscan(const CommRank& w, int n, int) {
  const MPI_Comm comm = w.comm;
  return {own(w, n), room(n),
          w.rank == 0 ? IsRight(anything)
                      : holds(n, 1, [=](int, int i) { return sum_up_to(w.rank, 0, i); }),
          [=](Buffer& in, Buffer& out) {
            MPI_Exscan(in.data(), out.data(), n, MPI_INT64_T, MPI_SUM, comm);
          }};
}

/// The same data by the v forms, with equal blocks.
Case irregular(Case regular, std::function<void(Buffer& in, Buffer& out)> call) {
  regular.call = std::move(call);
  return regular;
}

struct Blocks {
  Blocks(int count, int blocks) : counts(static_cast<std::size_t>(blocks), count) {
    for (int b = 0; b < blocks; ++b) places.push_back(b * count);
  }
  std::vector<int> counts;
  std::vector<int> places;
};

Case gatherv(const CommRank& w, int n, int root) {
  return irregular(gather(w, n, root), [=, b = Blocks(n, w.size)](Buffer& in, Buffer& out) {
    MPI_Gatherv(in.data(), n, MPI_INT64_T, out.data(), b.counts.data(), b.places.data(),
                MPI_INT64_T, root, w.comm);
  });
}

Case scatterv(const CommRank& w, int n, int root) {
  return irregular(scatter(w, n, root), [=, b = Blocks(n, w.size)](Buffer& in, Buffer& out) {
    MPI_Scatterv(in.data(), b.counts.data(), b.places.data(), MPI_INT64_T, out.data(), n,
                 MPI_INT64_T, root, w.comm);
  });
}

Case allgatherv(const CommRank& w, int n, int root) {
  return irregular(allgather(w, n, root), [=, b = Blocks(n, w.size)](Buffer& in, Buffer& out) {
    MPI_Allgatherv(in.data(), n, MPI_INT64_T, out.data(), b.counts.data(), b.places.data(),
                   MPI_INT64_T, w.comm);
  });
}

Case alltoallv(const CommRank& w, int n, int root) {
  return irregular(alltoall(w, n, root), [=, b = Blocks(n, w.size)](Buffer& in, Buffer& out) {
    MPI_Alltoallv(in.data(), b.counts.data(), b.places.data(), MPI_INT64_T, out.data(),
                  b.counts.data(), b.places.data(), MPI_INT64_T, w.comm);
  });
}

/// Blocks of these lengths, one behind the other.
struct Unequal {
  explicit Unequal(const Counts& of) : counts(of) {
    for (const int count : counts) {
      places.push_back(all);
      all += count;
    }
  }
  [[nodiscard]] Buffer filled(const std::function<Element(int, int)>& f) const {
    Buffer data;
    for (std::size_t b = 0; b < counts.size(); ++b) {
      for (int i = 0; i < counts[b]; ++i) data.push_back(f(static_cast<int>(b), i));
    }
    return data;
  }
  Counts counts;
  std::vector<int> places;
  int all = 0;
};

Case unequal_scatterv(const CommRank& w, const Counts& counts, int root) {
  const Unequal blocks_of(counts);
  const bool is_root = w.rank == root;
  const int mine = counts[static_cast<std::size_t>(w.rank)];
  return {is_root ? blocks_of.filled([](int b, int i) { return value(0, b, i); }) : Buffer{},
          room(mine), holds(mine, 1, [=](int, int i) { return value(0, w.rank, i); }),
          [=](Buffer& in, Buffer& out) {
            MPI_Scatterv(in.data(), blocks_of.counts.data(), blocks_of.places.data(), MPI_INT64_T,
                         out.data(), mine, MPI_INT64_T, root, w.comm);
          }};
}

Case unequal_gatherv(const CommRank& w, const Counts& counts, int root) {
  const Unequal blocks_of(counts);
  const bool is_root = w.rank == root;
  const int mine = counts[static_cast<std::size_t>(w.rank)];
  const auto gathered = [](int b, int i) { return value(b, 0, i); };
  return {own(w, mine), room(is_root ? blocks_of.all : 0),
          is_root ? IsRight([=](const Buffer& out) { return out == blocks_of.filled(gathered); })
                  : IsRight(anything),
          [=](Buffer& in, Buffer& out) {
            MPI_Gatherv(in.data(), mine, MPI_INT64_T, out.data(), blocks_of.counts.data(),
                        blocks_of.places.data(), MPI_INT64_T, root, w.comm);
          }};
}

/// Of elements of 8 bytes.
using Maker = Case (*)(const CommRank&, int count, int root);

const std::map<std::string, Maker>& makers() {
  // Not destroyed: ranks of SMPI that share the program would do so once each, at one address.
  static const auto* const kMakers = new std::map<std::string, Maker>{
      {"reduce", reduce},         {"allreduce", allreduce}, {"barrier", barrier},
      {"gather", gather},         {"scatter", scatter},     {"allgather", allgather},
      {"alltoall", alltoall},     {"scan", scan},           {"reduce-scatter", reduce_scatter},
      {"exscan", exscan},         {"gatherv", gatherv},     {"scatterv", scatterv},
      {"allgatherv", allgatherv}, {"alltoallv", alltoallv}};
  return *kMakers;
}

}  // namespace

bool can_measure(const std::string& operation, long bytes, const Counts& counts) {
  if (!counts.empty() && operation != "scatterv" && operation != "gatherv") return false;
  if (operation == "broadcast") return bytes >= 0;
  return makers().count(operation) > 0 && bytes >= 0 &&
         bytes % static_cast<long>(sizeof(Element)) == 0;
}

Case make_case(const std::string& operation, const CommRank& place, long bytes, int root,
               const Counts& counts) {
  if (!counts.empty()) {
    return operation == "scatterv" ? unequal_scatterv(place, counts, root)
                                   : unequal_gatherv(place, counts, root);
  }
  if (operation == "broadcast") return broadcast(place, bytes, root);
  const int count = static_cast<int>(bytes / static_cast<long>(sizeof(Element)));
  return makers().at(operation)(place, count, root);
}

}  // namespace measure
