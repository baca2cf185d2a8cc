#include "profile/workload.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "profile/trace_writer.hpp"

namespace espalier::profile {
namespace {

using schedule::Operation;

/// Sizes of the classes S, W, A, B, C, as the benchmarks' documents give them.
constexpr std::string_view kClasses = "SWABC";
using PerClass = std::array<std::uint64_t, 5>;
constexpr PerClass kLuEdge{12, 33, 64, 102, 162}, kLuSteps{50, 300, 250, 250, 250};
constexpr PerClass kMgEdge{32, 128, 256, 256, 512}, kMgSteps{4, 4, 4, 20, 20};
constexpr PerClass kIsLogKeys{16, 20, 23, 25, 27};
constexpr PerClass kEpLogPairs{24, 25, 28, 30, 32};
constexpr PerClass kCgRows{1400, 7000, 14000, 75000, 150000}, kCgSteps{15, 15, 15, 75, 75},
    kCgNonzeros{7, 8, 11, 13, 15};
constexpr PerClass kFtPoints{1U << 18, 1U << 19, 1U << 23, 1U << 25, 1U << 27},
    kFtSteps{6, 6, 6, 20, 20};

/// What all generators see: one process of a world, its class, and how fast it computes.
struct Scene {
  Rank me;
  Rank size;
  std::size_t scale;  ///< index into the tables above
  const WorkloadOptions& options;
  TraceWriter& out;

  [[nodiscard]] Time flops(std::uint64_t n) const {
    using Wide = unsigned __int128;
    return Time{
        static_cast<std::int64_t>(Wide{n} * 1'000'000'000'000ULL / options.flops_per_second)};
  }
};

/// So many flops for each point and time step: the benchmark's own count, class A.
constexpr std::uint64_t kLuFlops = 1820, kMgFlops = 58, kFtFlops = 150, kEpFlops = 25,
                        kIsOperations = 12;

struct Grid {
  Rank rows, columns, row, column;
};
Grid grid_of(const Scene& s) {
  const Rank rows = rows_of(s.size);
  const Rank columns = s.size / rows;
  return {rows, columns, s.me / columns, s.me % columns};
}

/// The other end of an inserted heavy channel, or kNoRank.
Rank heavy_partner(const Scene& s, const Grid& g) {
  if (s.options.heavy_factor == 0 || g.rows < 3) return kNoRank;
  if (g.column != 0 && g.column + 1 != g.columns) return kNoRank;
  if (g.row == 1) return s.me + g.columns;
  if (g.row == 2) return s.me - g.columns;
  return kNoRank;
}

/// One wavefront: for each plane what comes from above and left, then work, then on to below and
/// right; or all of it the other way round.
void lu_sweep(const Scene& s, const Grid& g, bool down) {
  const std::uint64_t edge = kLuEdge[s.scale];
  const std::uint64_t along_row = 40 * ((edge + g.columns - 1) / g.columns);  // 5 doubles a point
  const std::uint64_t along_column = 40 * ((edge + g.rows - 1) / g.rows);
  const Time work = s.flops(edge * edge * kLuFlops / (2 * s.size));
  const Rank heavy = heavy_partner(s, g);
  s.out.loop(edge - 2, [&] {
    const bool has_above = g.row > 0, has_below = g.row + 1 < g.rows;
    const bool has_left = g.column > 0, has_right = g.column + 1 < g.columns;
    const Rank above = s.me - g.columns, below = s.me + g.columns;
    if (down ? has_above : has_below) s.out.recv(down ? above : below, along_row);
    if (down ? has_left : has_right) s.out.recv(down ? s.me - 1 : s.me + 1, along_column);
    s.out.compute(work);
    if (down ? has_below : has_above) s.out.blocking_send(down ? below : above, along_row);
    if (down ? has_right : has_left) s.out.blocking_send(down ? s.me + 1 : s.me - 1, along_column);
    if (heavy != kNoRank) {
      s.out.loop(s.options.heavy_factor, [&] { s.out.exchange(heavy, along_row); });
    }
  });
}

/// With all neighbours: receives are posted, then it sends to one after the other.
void lu_faces(const Scene& s, const Grid& g) {
  const std::uint64_t edge = kLuEdge[s.scale];
  const std::uint64_t along_row = 80 * edge * ((edge + g.columns - 1) / g.columns);
  const std::uint64_t along_column = 80 * edge * ((edge + g.rows - 1) / g.rows);
  std::vector<std::pair<Rank, std::uint64_t>> faces;  // two planes of five doubles
  if (g.row > 0) faces.emplace_back(s.me - g.columns, along_row);
  if (g.row + 1 < g.rows) faces.emplace_back(s.me + g.columns, along_row);
  if (g.column > 0) faces.emplace_back(s.me - 1, along_column);
  if (g.column + 1 < g.columns) faces.emplace_back(s.me + 1, along_column);
  for (const auto& [peer, bytes] : faces) s.out.post(peer, bytes);
  for (const auto& [peer, bytes] : faces) s.out.blocking_send(peer, bytes);
  for (const auto& [peer, bytes] : faces) s.out.recv(peer, bytes);
}

void lu(const Scene& s) {
  const Grid g = grid_of(s);
  s.out.loop(kLuSteps[s.scale], [&] {
    lu_sweep(s, g, true);
    lu_sweep(s, g, false);
    lu_faces(s, g);
  });
  s.out.collective(Operation::Allreduce, 40);
}

/// Faces with every neighbour of the hypercube, on a level with `edge` points a side.
void mg_faces(const Scene& s, std::uint64_t edge, bool halved) {
  const auto dimensions = static_cast<Rank>(std::countr_zero(s.size));
  const std::uint64_t face = std::max<std::uint64_t>(8, 8 * edge * edge * 2 / s.size);
  for (Rank d = 0; d < dimensions; ++d) {
    if (halved && d == 2) continue;
    s.out.exchange(s.me ^ (Rank{1} << d), face);
  }
}

void mg(const Scene& s) {
  const std::uint64_t finest = kMgEdge[s.scale];
  const bool keeps = s.size < 8 || ((s.me >> 2) & 1U) != 0;
  const Rank partner = s.size < 8 ? s.me : s.me ^ 4U;
  s.out.loop(kMgSteps[s.scale], [&] {
    for (std::uint64_t edge = finest; edge >= 4; edge /= 2) {  // down the V, and up again
      const bool coarse = s.size >= 8 && edge <= 8;
      if (coarse && edge * 2 > 8) {  // half of the processes hand over, and wait for the way up
        if (keeps) {
          s.out.recv(partner, 64 * edge * edge / s.size + 64);
        } else {
          s.out.blocking_send(partner, 64 * edge * edge / s.size + 64);
        }
      }
      if (coarse && !keeps) continue;
      s.out.compute(s.flops(edge * edge * edge * kMgFlops / s.size));
      s.out.loop(2 * (coarse ? 2 : 1), [&] { mg_faces(s, edge, coarse); });
    }
    if (s.size >= 8) {
      if (keeps) {
        s.out.blocking_send(partner, 1024);
      } else {
        s.out.recv(partner, 1024);
      }
    }
  });
  s.out.collective(Operation::Allreduce, 16);
}

void is(const Scene& s) {
  const std::uint64_t keys = std::uint64_t{1} << kIsLogKeys[s.scale];
  s.out.loop(11, [&] {
    s.out.compute(s.flops(keys * kIsOperations / s.size));
    s.out.collective(Operation::Allreduce, 4 * 1024);
    s.out.collective(Operation::Alltoall, 4);
    s.out.collective(Operation::Alltoall, 4 * keys / (std::uint64_t{s.size} * s.size));
  });
  s.out.collective(Operation::Reduce, 4);
}

void ep(const Scene& s) {
  s.out.compute(s.flops((std::uint64_t{1} << kEpLogPairs[s.scale]) * kEpFlops / s.size));
  for (int i = 0; i < 3; ++i) s.out.collective(Operation::Allreduce, 80);
}

void cg(const Scene& s) {
  const auto bits = static_cast<unsigned>(std::countr_zero(s.size));
  const Rank columns = Rank{1} << ((bits + 1) / 2), rows = s.size / columns;
  const Rank row = s.me / columns, column = s.me % columns;
  const std::uint64_t n = kCgRows[s.scale];
  const std::uint64_t part = 8 * ((n + rows - 1) / rows);
  const Rank square = column / (columns / rows);
  const Rank transposed = square * columns + row * (columns / rows) + column % (columns / rows);
  const std::uint64_t nonzeros = n * (kCgNonzeros[s.scale] + 1) * (kCgNonzeros[s.scale] + 1);
  s.out.loop(kCgSteps[s.scale], [&] {
    s.out.loop(25, [&] {
      s.out.compute(s.flops(2 * nonzeros / s.size + 10 * n / rows));
      for (Rank bit = columns / 2; bit > 0; bit /= 2) {
        s.out.exchange(row * columns + (column ^ bit), part);
      }
      if (transposed != s.me) s.out.exchange(transposed, part * rows / columns);
      for (int dot = 0; dot < 2; ++dot) {
        for (Rank bit = columns / 2; bit > 0; bit /= 2) {
          s.out.exchange(row * columns + (column ^ bit), 8);
        }
      }
    });
  });
}

void ft(const Scene& s) {
  const std::uint64_t points = kFtPoints[s.scale];
  s.out.loop(kFtSteps[s.scale], [&] {
    s.out.compute(s.flops(points * kFtFlops / s.size));
    s.out.collective(Operation::Alltoall, 16 * points / (std::uint64_t{s.size} * s.size));
    s.out.collective(Operation::Reduce, 16);
  });
}

struct Generator {
  std::string_view name;
  void (*make)(const Scene&);
  bool wants_power_of_two;
};
constexpr std::array<Generator, 6> kGenerators{{{"lu", lu, false},
                                                {"mg", mg, true},
                                                {"is", is, false},
                                                {"ep", ep, false},
                                                {"cg", cg, true},
                                                {"ft", ft, false}}};

}  // namespace

Rank rows_of(Rank processes) {
  Rank rows = 1;
  for (Rank r = 1; r * r <= processes; ++r) {
    if (processes % r == 0) rows = r;
  }
  return rows;
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Generator& g : kGenerators) names.emplace_back(g.name);
  return names;
}

Expected<Profile> make_workload(std::string_view name, Rank processes,
                                const WorkloadOptions& options) {
  const std::string where(name.substr(0, 60));
  for (const Generator& g : kGenerators) {
    if (name.substr(0, g.name.size() + 1) != fmt::format("{}.", g.name)) continue;
    const std::string_view letter = name.substr(g.name.size() + 1);
    const std::size_t scale = letter.size() == 1 ? kClasses.find(letter) : std::string_view::npos;
    if (scale == std::string_view::npos) {
      return Error{where, fmt::format("there is no class \"{}\"", letter.substr(0, 40)),
                   "the classes are S, W, A, B and C"};
    }
    if (processes == 0 || processes > kMaxProfiledProcesses) {
      return Error{where, fmt::format("{} processes", processes),
                   "at least one, at most 1,048,576"};
    }
    if (g.wants_power_of_two && !std::has_single_bit(processes)) {
      return Error{where,
                   fmt::format("{} runs on a power of two, not on {} processes", g.name, processes),
                   "try 16"};
    }
    Profile profile = silent_profile(std::string(name), processes);
    for (Rank me = 0; me < processes; ++me) {
      TraceWriter out(profile.processes[me].actions);
      g.make({me, processes, scale, options, out});
    }
    count_pairs(profile);
    return profile;
  }
  return Error{where, "there is no such workload",
               fmt::format("one of {} with a class: lu.C", fmt::join(workload_names(), ", "))};
}

}  // namespace espalier::profile
