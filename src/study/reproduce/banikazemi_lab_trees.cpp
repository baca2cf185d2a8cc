#include "reproduce/banikazemi_lab_trees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <sstream>

#include "base/random.hpp"
#include "model/machine_models.hpp"
#include "model/node_costs.hpp"
#include "reproduce/findings.hpp"
#include "topology/readers.hpp"
#include "tree/algorithm.hpp"
#include "tree/multiple_multicast.hpp"

namespace espalier::reproduce {
namespace {

using report::Align;
using report::Cell;
using report::Decimal;
using topology::Machine;
using tree::CommTree;
using tree::Participants;

constexpr Rank kLabHosts = 16;
constexpr Bytes kSize{1024};
constexpr const char* kProgram = "espalier-trees";

report::Column figure_column(std::string key, std::string title) {
  return {std::move(key), std::move(title), Align::Right, false};
}

Machine hosts_with(const std::vector<Rank>& fast) {
  std::string costs;
  for (Rank r = 0; r < kLabHosts; ++r) {
    const bool is_fast = std::find(fast.begin(), fast.end(), r) != fast.end();
    costs += fmt::format("{}{}us", r == 0 ? "" : "|", is_fast ? 400 : 1600);
  }
  return topology::parse_synthetic(
             fmt::format("node:{}(50us,155Mbit/s,name=lan,send={})", kLabHosts, costs))
      .value();
}

std::vector<Rank> some(Random& rng, Rank count) {
  std::vector<Rank> all(kLabHosts);
  std::iota(all.begin(), all.end(), Rank{0});
  rng.shuffle(std::span(all));
  all.resize(count);
  return all;
}

/// Who multicasts to whom. Receivers stand in the order of MPICH's numbers from the source on.
std::vector<Participants> random_multicasts(Random& rng, Rank sources, Rank destinations) {
  std::vector<Participants> all;
  for (const Rank source : some(rng, sources)) {
    std::vector<Rank> to = some(rng, kLabHosts);
    std::erase(to, source);
    to.resize(destinations);
    std::sort(to.begin(), to.end(),
              [&](Rank a, Rank b) { return std::pair(a < source, a) < std::pair(b < source, b); });
    all.push_back({kLabHosts, source, std::move(to)});
  }
  return all;
}

/// One cell of the figure, with the trees of each scheme as arguments of the program.
struct Point {
  int percent = 25;
  Rank sources = 4, destinations = 4;
  std::vector<std::string> schemes;
};

Point point_of(const Machine& machine, int percent, const std::vector<Participants>& multicasts) {
  const model::Levels model(machine);
  const std::vector<Time> costs = model::send_costs(machine, kSize);
  const auto separate = [&](const char* name) {
    std::vector<CommTree> trees;
    for (const Participants& who : multicasts) {
      trees.push_back(tree::find_algorithm(name)->build({who, costs, model, kSize}));
    }
    return trees;
  };
  const auto argument = [](const std::string& name, const std::vector<CommTree>& trees) {
    std::vector<std::string> texts;
    for (const CommTree& tree : trees) texts.push_back(text_of(tree));
    return fmt::format("{}={}", name, fmt::join(texts, ";"));
  };
  const std::vector<CommTree> fnf = separate("fnf");
  Point point{percent,
              static_cast<Rank>(multicasts.size()),
              static_cast<Rank>(multicasts.front().others.size()),
              {argument("default", separate("binomial")), argument("spoc", separate("spoc")),
               argument("fnf", fnf)}};
  point.schemes.push_back(
      argument("joint", tree::multiple_multicast(multicasts, fnf, model, kSize).plan.trees));
  return point;
}

/// "trees NAME US WRONG" of one run: name to time.
Expected<std::map<std::string, Cell>> read_trees(const std::string& output) {
  std::map<std::string, Cell> times;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, name;
    double us = 0;
    int wrong = 0;
    if (!(words >> kind) || kind != "trees") continue;
    if (!(words >> name >> us >> wrong)) {
      return Error{kProgram, fmt::format("\"{}\" is not a line of its output", line), ""};
    }
    times[name] = wrong != 0 ? Cell("WRONG", report::Style::Bad) : Cell(Decimal{us, 0});
  }
  if (times.size() == 4) return times;
  return Error{kProgram, fmt::format("it timed {} of 4 schemes", times.size()),
               "see what it printed"};
}

struct Workstation {
  const char* name;
  double with_itself_us;  ///< the paper's round trip of two of a kind
};
constexpr std::array<Workstation, 4> kTypes{
    {{"HP735", 871}, {"HP715/100", 1020}, {"HP715/64", 1869}, {"Sun4", 4196}}};
constexpr double kLanUs = 50;

/// What a message costs a workstation: half of the round trip of two of a kind, less the link.
double cost_us(std::size_t type) { return kTypes[type].with_itself_us / 2 - kLanUs; }

/// The paper's round trips, [a][b] with a <= b.
double paper_us(std::size_t a, std::size_t b) {
  constexpr double kTable[4][4] = {
      {871, 973, 2491, 5806}, {0, 1020, 2538, 5871}, {0, 0, 1869, 6050}, {0, 0, 0, 4196}};
  return kTable[a][b];
}

/// Two hosts of each type: those of HP735 and HP715/100 in one cluster, the others in one each.
Expected<Machine> workstations() {
  const auto between = [](std::size_t a, std::size_t b) {
    return (paper_us(a, b) - cost_us(a) - cost_us(b)) / 2;
  };
  const auto host = [](std::size_t type) {
    return fmt::format(R"({{"send": "{:.1f} us"}})", cost_us(type));
  };
  const auto twice = [&](std::size_t type) { return host(type) + ", " + host(type); };
  return topology::read_json(
      fmt::format(R"({{"format": "espalier-machine-1",
 "levels": [{{"name": "between", "members": "cluster", "latency": "1 ms", "uplink": "10 Mbit/s"}},
            {{"name": "ethernet", "members": "host", "latency": "{} us", "uplink": "10 Mbit/s"}}],
 "pairs": [{{"between": ["a", "b"], "latency": "{:.1f} us"}},
           {{"between": ["a", "c"], "latency": "{:.1f} us"}},
           {{"between": ["b", "c"], "latency": "{:.1f} us"}}],
 "children": [{{"name": "a", "children": [{}, {}]}}, {{"name": "b", "children": [{}]}},
              {{"name": "c", "children": [{}]}}]}})",
                  kLanUs, (between(0, 2) + between(1, 2)) / 2, (between(0, 3) + between(1, 3)) / 2,
                  between(2, 3), twice(0), twice(1), twice(2), twice(3)),
      "banikazemi1998, Table 1");
}

}  // namespace

std::string text_of(const CommTree& tree) {
  std::vector<std::string> edges;
  for (const Rank rank : tree.preorder()) {
    for (const Rank child : tree.children(rank)) edges.push_back(fmt::format("{}>{}", rank, child));
  }
  return fmt::format("{}", fmt::join(edges, ","));
}

Expected<Exhibit> banikazemi_multiple_on_lab(const LabStudyOptions& options, const RunOnLab& run) {
  Exhibit exhibit;
  exhibit.key = "figure10";
  exhibit.title = fmt::format(
      "Figure 10: several multicasts of 1 KB at once among {} hosts, sends of 400 or 1600 us; us",
      kLabHosts);
  exhibit.table.columns = {figure_column("percent_fast", "fast, %"),
                           figure_column("sources", "sources"),
                           figure_column("destinations", "destinations"),
                           figure_column("default_us", "binomial"),
                           figure_column("spoc_us", "SPOC"),
                           figure_column("fnf_us", "FNF"),
                           figure_column("joint_us", "together")};
  Random rng(options.seed);
  for (const int percent : {25, 50}) {
    const Machine machine = hosts_with(some(rng, static_cast<Rank>(kLabHosts * percent / 100)));
    std::vector<Point> points;
    LabRunRequest request{machine, options.mpi, {}};
    for (const Rank sources : {4U, 16U}) {
      for (const Rank destinations :
           options.quick ? std::vector<Rank>{15} : std::vector<Rank>{4, 8, 15}) {
        points.push_back(point_of(machine, percent, random_multicasts(rng, sources, destinations)));
        LabProgram program{kProgram, {"trees", options.quick ? "3" : "7", "1024"}, 0};
        program.arguments.insert(program.arguments.end(), points.back().schemes.begin(),
                                 points.back().schemes.end());
        request.programs.push_back(std::move(program));
      }
    }
    const auto outputs = run(request);
    if (!outputs) return outputs.error();
    for (std::size_t p = 0; p < points.size(); ++p) {
      auto times = read_trees(outputs->at(p));
      if (!times) return times.error();
      exhibit.table.rows.push_back({std::int64_t{percent}, std::int64_t{points[p].sources},
                                    std::int64_t{points[p].destinations}, times->at("default"),
                                    times->at("spoc"), times->at("fnf"), times->at("joint")});
    }
  }
  exhibit.notes = {fmt::format(
      "Measured with {} in a lab, one rank a host, MPI's own sends along trees that were built "
      "before; medians from a common start to the end of the last rank; one random placement for "
      "each share of fast hosts (seed {}).",
      title_of_mpi(options.mpi), options.seed)};
  add_notes(exhibit, banikazemi_multiple_lab_findings(exhibit.table));
  return exhibit;
}

Expected<Exhibit> banikazemi_round_trips_on_lab(const LabStudyOptions& options,
                                                const RunOnLab& run) {
  const auto machine = workstations();
  if (!machine) return machine.error();
  const auto outputs =
      run({*machine, options.mpi, {{kProgram, {"pairs", options.quick ? "3" : "9", "4"}, 0}}});
  if (!outputs) return outputs.error();
  std::map<std::pair<std::size_t, std::size_t>, double> least;  // of all pairs of two types
  std::istringstream lines(outputs->front());
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    std::size_t a = 0, b = 0;
    double us = 0;
    if (!(words >> kind) || kind != "pair") continue;
    if (!(words >> a >> b >> us) || a >= b || b >= 2 * kTypes.size()) {
      return Error{kProgram, fmt::format("\"{}\" is not a line of its output", line), ""};
    }
    const auto [it, is_new] = least.try_emplace({a / 2, b / 2}, us);
    it->second = std::min(it->second, us);
  }
  if (least.size() != 10) {
    return Error{kProgram, fmt::format("it timed {} of 10 kinds of pairs", least.size()),
                 "see what it printed"};
  }
  Exhibit exhibit;
  exhibit.key = "table1";
  exhibit.title = "Table 1: round trips between workstations, us";
  exhibit.table.columns = {{"a", "one", Align::Left, false},
                           {"b", "other", Align::Left, false},
                           figure_column("round_trip_us", "round trip"),
                           figure_column("paper_round_trip_us", "paper"),
                           figure_column("link_us", "less both nodes"),
                           figure_column("clusters", "clusters apart")};
  for (const auto& [types, us] : least) {
    const auto [a, b] = types;
    const double link = us - least.at({a, a}) / 2 - least.at({b, b}) / 2;
    const bool is_apart = a != b && b >= 2;
    exhibit.table.rows.push_back({std::string(kTypes[a].name), std::string(kTypes[b].name),
                                  Decimal{us, 0}, Decimal{paper_us(a, b), 0}, Decimal{link, 0},
                                  std::int64_t{is_apart ? 1 : 0}});
  }
  exhibit.notes = {fmt::format(
      "Measured with {} in a lab of eight hosts, two of a kind. Their sends cost half of the "
      "paper's "
      "round trip of two of a kind, less {:.0f} us for the link; links between clusters are what "
      "is "
      "left of the paper's other entries. So the lab repeats the paper's table, and shows what can "
      "be read from it; less both nodes: without half of the round trip of either kind.",
      title_of_mpi(options.mpi), kLanUs)};
  add_notes(exhibit, banikazemi_round_trip_findings(exhibit.table));
  return exhibit;
}

}  // namespace espalier::reproduce
