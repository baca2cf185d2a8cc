#include "reproduce/banikazemi_contention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/random.hpp"
#include "collective/tree_links.hpp"
#include "model/node_costs.hpp"
#include "reproduce/findings.hpp"
#include "sim/simulate.hpp"
#include "topology/readers.hpp"
#include "tree/algorithm.hpp"

namespace espalier::reproduce {
namespace {

using report::Align;
using report::Decimal;
using topology::Machine;

constexpr Rank kStations = 64;
constexpr std::array kTrees{"binomial", "spoc", "fnf"};

report::Column figure_of(std::string key, std::string title) {
  return {std::move(key), std::move(title), Align::Right, false};
}

/// 16 switches of four workstations, 80 MB/s a link (12.5 ns a byte); half of each switch's eight
/// ports lead to other switches.
/// @param shared whether the four links between switches carry four links' bytes, or any number
Machine switches(const std::vector<bool>& is_fast, int factor, bool shared) {
  std::string costs;
  for (Rank r = 0; r < kStations; ++r) {
    costs += fmt::format("{}{}us", r == 0 ? "" : "|", is_fast[r] ? 400 : 400 * factor);
  }
  return topology::parse_synthetic(fmt::format("switch:16(1us{}) host:4(500ns,640Mbit/s,send={})",
                                               shared ? ",2560Mbit/s" : "", costs))
      .value();
}

double multicast_us(const Machine& machine, const tree::CommTree& tree, Bytes size) {
  schedule::Schedule schedule{
      {schedule::Operation::Broadcast, machine.size(), tree.root(), size.value, Bytes{1}, true, {}},
      "",
      {}};
  for (Rank r = 0; r < machine.size(); ++r) {
    schedule::ProgramBuilder program(r);
    if (tree.contains(r)) {
      tree_broadcast(program, collective::links_of(tree, r, 0),
                     schedule::slice(schedule::Buffer::Out, 0, size.value));
    }
    schedule.programs.push_back(std::move(program).build());
  }
  return to_microseconds(sim::simulate(schedule, machine).finish);
}

/// Means over random networks' worth of participants.
struct Contended {
  std::array<double, kTrees.size()> alone{}, shared{};
};

Contended contended(int factor, Rank fast, Bytes size, Rank destinations, std::uint64_t seed,
                    unsigned cases) {
  Random rng(seed);
  Contended sum;
  for (unsigned i = 0; i < cases; ++i) {
    std::vector<Rank> order(kStations);
    std::iota(order.begin(), order.end(), Rank{0});
    rng.shuffle(std::span(order));
    std::vector<bool> is_fast(kStations, false);
    for (Rank f = 0; f < fast; ++f) is_fast[order[f]] = true;
    const Rank source = order[rng.below(fast)];
    std::erase(order, source);
    rng.shuffle(std::span(order));
    order.resize(destinations);
    std::sort(order.begin(), order.end(),
              [&](Rank a, Rank b) { return std::pair(a < source, a) < std::pair(b < source, b); });
    const tree::Participants who{kStations, source, order};
    const Machine free_links = switches(is_fast, factor, false);
    const Machine shared_links = switches(is_fast, factor, true);
    const model::NodeInitiation model(model::send_costs(free_links, size));
    for (std::size_t t = 0; t < kTrees.size(); ++t) {
      const tree::CommTree tree = tree::find_algorithm(kTrees[t])->build(
          {who, model::send_costs(free_links, size), model, size});
      sum.alone[t] += multicast_us(free_links, tree, size) / cases;
      sum.shared[t] += multicast_us(shared_links, tree, size) / cases;
    }
  }
  return sum;
}

}  // namespace

Exhibit banikazemi_contention(const PaperOptions& options) {
  Exhibit exhibit;
  exhibit.key = "contention";
  exhibit.title = "Figures 7 to 9 with links that are shared: multicast among 64, fast source; us";
  exhibit.table.columns = {figure_of("speed_factor", "factor"),
                           figure_of("percent_fast", "fast, %"),
                           figure_of("size_bytes", "size"),
                           figure_of("destinations", "destinations"),
                           figure_of("default_us", "default"),
                           figure_of("spoc_us", "SPOC"),
                           figure_of("fnf_us", "FNF"),
                           figure_of("default_added_percent", "sharing adds, %"),
                           figure_of("spoc_added_percent", "SPOC, %"),
                           figure_of("fnf_added_percent", "FNF, %")};
  struct Point {
    int factor, percent;
    std::uint64_t size;
  };
  // A point of each figure's three curves, and a message that is long beside what starting it
  // costs.
  constexpr std::array<Point, 8> kPoints{{{2, 25, 1024},
                                          {4, 25, 1024},
                                          {6, 25, 1024},
                                          {4, 10, 1024},
                                          {4, 50, 1024},
                                          {4, 25, 64},
                                          {4, 25, 4096},
                                          {4, 25, 262'144}}};
  const unsigned cases = std::max(2U, options.multiple_cases / 2);
  for (const Point& point : kPoints) {
    for (const Rank destinations : {16U, 63U}) {
      const Contended found =
          contended(point.factor, (kStations * static_cast<Rank>(point.percent) + 50) / 100,
                    Bytes{point.size}, destinations, options.seed, cases);
      std::vector<report::Cell> row{std::int64_t{point.factor}, std::int64_t{point.percent},
                                    static_cast<std::int64_t>(point.size),
                                    std::int64_t{destinations}};
      for (const double us : found.shared) row.emplace_back(Decimal{us, 1});
      for (std::size_t t = 0; t < kTrees.size(); ++t) {
        row.emplace_back(Decimal{100 * (found.shared[t] / found.alone[t] - 1), 2});
      }
      exhibit.table.rows.push_back(std::move(row));
    }
  }
  exhibit.notes = {fmt::format(
      "Simulated message by message, links shared fairly; means of {} cases. Each switch has four "
      "workstations and four links to other switches, of 80 MB/s each; which switch a link leads "
      "to is "
      "left out, so a worm crosses the links of its two ends' switches and none between. Added: "
      "against "
      "the same without a limit between switches.",
      cases)};
  add_notes(exhibit, banikazemi_contention_findings(exhibit.table));
  return exhibit;
}

}  // namespace espalier::reproduce
