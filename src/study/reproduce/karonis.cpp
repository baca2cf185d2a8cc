#include <fmt/format.h>

#include <functional>
#include <memory>

#include "base/contract.hpp"
#include "base/units.hpp"
#include "bound/lower_bound.hpp"
#include "collective/multilevel_calls.hpp"
#include "collective/tree_links.hpp"
#include "report/plot.hpp"
#include "reproduce/findings.hpp"
#include "reproduce/karonis_counts.hpp"
#include "reproduce/karonis_lab.hpp"
#include "reproduce/paper.hpp"
#include "select/chooser.hpp"
#include "sim/simulate.hpp"
#include "topology/readers.hpp"
#include "topology/views.hpp"
#include "tree/shapes.hpp"
#include "verify/verify.hpp"

namespace espalier::reproduce {
namespace {

using collective::Hierarchy;
using collective::LevelChoice;
using collective::MultilevelChoice;
using collective::Shape;
using report::Align;
using report::Cell;
using report::Column;
using report::Decimal;
using schedule::Collective;
using schedule::Operation;
using schedule::Program;
using topology::Machine;

constexpr const char* kProcesses = "proc:16(5us,10Gbit/s,send=2us,recv=2us)";

Machine synthetic(const std::string& text) { return topology::parse_synthetic(text).value(); }

MultilevelChoice binomial_everywhere(const Machine& machine, std::uint64_t segment) {
  return {std::vector<LevelChoice>(machine.levels().size(), {Shape::Binomial, segment}),
          collective::Top::Tree};
}

/// One curve: who builds the programs of a broadcast.
struct Curve {
  std::string key, title;
  std::function<Program(const Collective&, Rank)> program;
};

/// Along the tree of a view of the machine, all messages whole or in segments.
Curve multilevel_curve(std::string key, std::string title, const Hierarchy& view,
                       std::uint64_t segment) {
  return {std::move(key), std::move(title), [&view, segment](const Collective& call, Rank rank) {
            const MultilevelChoice choice = binomial_everywhere(view.machine(), segment);
            return multilevel_program(view, choice, call, rank);
          }};
}

Curve binomial_curve() {
  return {"mpich", "MPICH binomial", [](const Collective& call, Rank rank) {
            const tree::CommTree shape = binomial(tree::everybody(call.size, call.root));
            schedule::ProgramBuilder program(rank);
            const auto out = schedule::slice(schedule::Buffer::Out, 0, call.count);
            tree_broadcast(program, collective::links_of(shape, rank, 0), out);
            return std::move(program).build();
          }};
}

/// What Espalier chooses by prediction for each size, of all its plans.
Curve chosen_curve(const Hierarchy& levels) {
  const auto chooser = std::make_shared<select::Chooser>(levels);
  return {"chosen", "Espalier's choice", [&levels, chooser](const Collective& call, Rank rank) {
            return own_part(chooser->choose(call, select::WhichPlan::Best), levels, call, rank);
          }};
}

/// As the paper's program does: the mean over all processes taking their turn as root.
double mean_over_roots(const Machine& machine, const Curve& curve, std::uint64_t bytes) {
  double sum = 0;
  for (Rank root = 0; root < machine.size(); ++root) {
    const Collective call{Operation::Broadcast, machine.size(), root, bytes, Bytes{1}, true, {}};
    schedule::Schedule schedule{call, curve.title, {}};
    for (Rank rank = 0; rank < call.size; ++rank) {
      schedule.programs.push_back(curve.program(call, rank));
    }
    const verify::Verdict verdict = verify::verify(schedule);
    expects(verdict.ok(), "karonis: the verifier refuses a plan");
    sum += to_seconds(sim::simulate(schedule, machine).finish);
  }
  return sum / machine.size();
}

double mean_bound(const Machine& machine, std::uint64_t bytes) {
  double sum = 0;
  for (Rank root = 0; root < machine.size(); ++root) {
    sum += to_seconds(
        bound::lower_bound(machine,
                           {Operation::Broadcast, machine.size(), root, bytes, Bytes{1}, true, {}})
            .value);
  }
  return sum / machine.size();
}

Exhibit experiment(std::string key, std::string title, const Machine& machine,
                   const std::vector<Curve>& curves, unsigned size_step,
                   std::vector<std::string> notes) {
  Exhibit exhibit;
  exhibit.key = std::move(key);
  exhibit.title = title;
  exhibit.notes = std::move(notes);
  exhibit.table.columns = {{"size_bytes", "", Align::Right, false},
                           {"", "size", Align::Right, false},
                           {"bound_ms", "bound", Align::Right, false}};
  report::LineChart chart{std::move(title), {}, {}, {}, 760, 440};
  chart.x = {"message", report::Scale::Log, report::Unit::Bytes, false};
  chart.y = {"mean broadcast time over all roots", report::Scale::Log, report::Unit::Seconds,
             false};
  for (const Curve& curve : curves) {
    exhibit.table.columns.push_back({curve.key + "_ms", curve.title, Align::Right, false});
    chart.series.push_back({curve.title, {}, false});
  }
  chart.series.push_back({"lower bound", {}, true});
  for (std::uint64_t bytes = 1024; bytes <= (1U << 20U); bytes <<= size_step) {
    const double least = mean_bound(machine, bytes);
    std::vector<Cell> row{static_cast<std::int64_t>(bytes), to_string(Bytes{bytes}),
                          Decimal{1e3 * least, 2}};
    for (std::size_t c = 0; c < curves.size(); ++c) {
      const double mean = mean_over_roots(machine, curves[c], bytes);
      row.emplace_back(Decimal{1e3 * mean, 2});
      chart.series[c].points.push_back({double(bytes), mean});
    }
    chart.series.back().points.push_back({double(bytes), least});
    exhibit.table.rows.push_back(std::move(row));
  }
  exhibit.svg = report::line_chart(chart);
  add_notes(exhibit, karonis_findings(exhibit.table));
  return exhibit;
}

constexpr std::uint64_t kSegment = 8192;

/// @param wide whether there are two sites
std::string about(bool wide) {
  return fmt::format(
      "Simulated, ms: {}500 us and 1 Gbit/s between machines, 5 us and 10 Gbit/s inside one, 2 us "
      "for each message at either end (the paper does not state its networks' figures). Mean over "
      "all processes as root.",
      wide ? "30 ms and 100 Mbit/s between the sites, " : "");
}

Exhibit figure7(const PaperOptions& options) {
  const Machine machine =
      synthetic(fmt::format("site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) {}", kProcesses));
  const Hierarchy levels(machine);
  return experiment(
      "figure7", "Figure 7: 3 x 16 processes at two sites, MPICH against multilevel", machine,
      {binomial_curve(), multilevel_curve("multilevel", "multilevel", levels, 0),
       multilevel_curve("pipelined", "pipelined", levels, kSegment), chosen_curve(levels)},
      options.size_step,
      {about(true),
       "pipelined: the multilevel tree with segments of 8 KiB through all levels, "
       "which the paper does not have."});
}

Exhibit figure8(const PaperOptions& options) {
  const Machine machine = synthetic(fmt::format("machine:2(500us,1Gbit/s) {}", kProcesses));
  const Hierarchy levels(machine);
  return experiment(
      "figure8", "Figure 8: 2 x 16 processes at one site, MPICH against multilevel", machine,
      {binomial_curve(), multilevel_curve("multilevel", "multilevel", levels, 0),
       multilevel_curve("pipelined", "pipelined", levels, kSegment), chosen_curve(levels)},
      options.size_step, {about(false)});
}

Exhibit figure9(const PaperOptions& options) {
  const Machine machine =
      synthetic(fmt::format("site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) {}", kProcesses));
  const Machine machines = topology::two_level_view(machine, 2);
  const Machine sites = topology::two_level_view(machine, 1);
  const Hierarchy levels(machine), by_machine(machines), by_site(sites);
  return experiment(
      "figure9", "Figure 9: 3 x 16 processes at two sites, two-level trees and multilevel", machine,
      {binomial_curve(), multilevel_curve("magpie_machine", "two-level, machine", by_machine, 0),
       multilevel_curve("magpie_site", "two-level, site", by_site, 0),
       multilevel_curve("multilevel", "multilevel", levels, 0),
       multilevel_curve("pipelined", "pipelined", levels, kSegment), chosen_curve(levels)},
      options.size_step,
      {about(true),
       "two-level: MagPIe's one partition, by machine (the message crosses the WAN twice from the "
       "lone "
       "site) or by site (a binomial tree within a site knows nothing of its two machines)."});
}

/// ack_barrier() of Figure 6: all others send an ACK to process 0, which then sends a GO to one
/// after the other.
void ack_barrier(schedule::ProgramBuilder& program, Rank size) {
  const auto nothing = schedule::slice(schedule::Buffer::Out, 0, 0);
  program.fence();
  if (program.rank() != 0) {
    program.send(0, nothing);
    program.recv(0, nothing);
    return;
  }
  for (Rank r = 1; r < size; ++r) program.recv(r, nothing);
  program.fence();
  for (Rank r = 1; r < size; ++r) program.send(r, nothing);
}

/// One turn of Figure 6's program: a broadcast, with the barrier behind it or without, mean over
/// all roots, in ms.
double mean_turn_ms(const Machine& machine, std::uint64_t bytes, bool with_barrier,
                    const std::function<collective::TreeLinks(Rank root, Rank rank)>& links_of) {
  double sum = 0;
  for (Rank root = 0; root < machine.size(); ++root) {
    schedule::Schedule turn{
        {Operation::Broadcast, machine.size(), root, bytes, Bytes{1}, true, {}}, "", {}};
    for (Rank rank = 0; rank < machine.size(); ++rank) {
      schedule::ProgramBuilder program(rank);
      tree_broadcast(program, links_of(root, rank),
                     schedule::slice(schedule::Buffer::Out, 0, bytes));
      if (with_barrier) ack_barrier(program, machine.size());
      turn.programs.push_back(std::move(program).build());
    }
    const sim::SimResult result = sim::simulate(turn, machine);
    expects(result.unmatched == 0, "karonis: a turn does not end");
    sum += to_seconds(result.finish);
  }
  return 1e3 * sum / machine.size();
}

/// What the paper's program has between two readings of its clock.
Exhibit figure6(const PaperOptions&) {
  const Machine machine =
      synthetic(fmt::format("site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) {}", kProcesses));
  const Hierarchy levels(machine);
  const MultilevelChoice choice = binomial_everywhere(machine, 0);
  const auto blind = [&](Rank root, Rank rank) {
    return collective::links_of(binomial(tree::everybody(machine.size(), root)), rank, 0);
  };
  const auto multilevel = [&](Rank root, Rank rank) {
    return multilevel_links(levels, choice.levels, root, rank);
  };
  Exhibit exhibit;
  exhibit.key = "figure6";
  exhibit.title = "Figure 6: what its program times, broadcasts and ack_barrier(), ms a turn";
  exhibit.table.columns = {
      {"size_bytes", "size", Align::Right, false},
      {"mpich_ms", "MPICH binomial", Align::Right, false},
      {"multilevel_ms", "multilevel", Align::Right, false},
      {"mpich_turn_ms", "MPICH, with barrier", Align::Right, false},
      {"multilevel_turn_ms", "multilevel, with barrier", Align::Right, false},
      {"barrier_percent", "barrier in multilevel's turn, %", Align::Right, false},
      {"factor", "x, broadcasts", Align::Right, false},
      {"turn_factor", "x, turns", Align::Right, false}};
  for (std::uint64_t bytes = 1024; bytes <= (1U << 20U); bytes *= 4) {
    const double mpich = mean_turn_ms(machine, bytes, false, blind);
    const double ours = mean_turn_ms(machine, bytes, false, multilevel);
    const double mpich_turn = mean_turn_ms(machine, bytes, true, blind);
    const double our_turn = mean_turn_ms(machine, bytes, true, multilevel);
    exhibit.table.rows.push_back({static_cast<std::int64_t>(bytes), Decimal{mpich, 2},
                                  Decimal{ours, 2}, Decimal{mpich_turn, 2}, Decimal{our_turn, 2},
                                  Decimal{100 * (1 - ours / our_turn), 1}, Decimal{mpich / ours, 2},
                                  Decimal{mpich_turn / our_turn, 2}});
  }
  exhibit.notes = {
      about(true),
      "The barrier is the paper's own, of sends: ACKs to process 0, a GO from it to one "
      "process after the other. (Acknowledgements of one receiver at a time, less half "
      "a round trip, are banikazemi1998's and HPDC 1999's, not this paper's.)"};
  add_notes(exhibit, karonis_turn_findings(exhibit.table));
  return exhibit;
}

/// What the third level gains depends on the LAN, which the paper does not state.
Exhibit lan_sensitivity(const PaperOptions&) {
  constexpr std::uint64_t kBytes = 65'536;
  Exhibit exhibit;
  exhibit.key = "lan";
  exhibit.title = "Figure 9 at 64 KiB over figures of the LAN, ms";
  exhibit.table.columns = {{"latency", "LAN latency", Align::Right, false},
                           {"bandwidth", "bandwidth", Align::Right, false},
                           {"mpich_ms", "MPICH binomial", Align::Right, false},
                           {"magpie_machine_ms", "two-level, machine", Align::Right, false},
                           {"magpie_site_ms", "two-level, site", Align::Right, false},
                           {"multilevel_ms", "multilevel", Align::Right, false},
                           {"site_over_multilevel", "site / multilevel", Align::Right, false}};
  for (const char* latency : {"100us", "500us", "2ms", "5ms"}) {
    for (const char* bandwidth : {"1Gbit/s", "100Mbit/s", "10Mbit/s"}) {
      const Machine machine = synthetic(fmt::format("site:2(30ms,100Mbit/s) machine:1|2({},{}) {}",
                                                    latency, bandwidth, kProcesses));
      const Machine machines = topology::two_level_view(machine, 2);
      const Machine sites = topology::two_level_view(machine, 1);
      const Hierarchy levels(machine), by_machine(machines), by_site(sites);
      std::vector<double> ms;
      for (const Curve& curve :
           {binomial_curve(), multilevel_curve("", "", by_machine, 0),
            multilevel_curve("", "", by_site, 0), multilevel_curve("", "", levels, 0)}) {
        ms.push_back(1e3 * mean_over_roots(machine, curve, kBytes));
      }
      std::vector<Cell> row{std::string(latency), std::string(bandwidth)};
      for (const double value : ms) row.emplace_back(Decimal{value, 2});
      row.emplace_back(Decimal{ms[2] / ms[3], 2});
      exhibit.table.rows.push_back(std::move(row));
    }
  }
  exhibit.notes = karonis_lan_findings(exhibit.table);
  return exhibit;
}

}  // namespace

Paper karonis() {
  return {
      "karonis",
      "karonis2000",
      "N. Karonis, B. de Supinski, I. Foster, W. Gropp, E. Lusk, J. Bresnahan, \"Exploiting "
      "hierarchy "
      "in parallel computer networks to optimize collective operation performance\", IPDPS 2000",
      {{"figure6", "what the paper's program times: broadcasts and its barrier", figure6},
       {"figure7", "broadcast over a wide-area network", figure7},
       {"figure8", "broadcast over a local-area network", figure8},
       {"figure9", "both, against two-level trees", figure9},
       {"lan", "figure 9 over figures of the LAN", lan_sensitivity},
       {"counts", "messages over each network",
        [](const PaperOptions&) { return karonis_counts(); }}},
      {{"figure7", "the MPI's own broadcast against multilevel, over a wide-area network"},
       {"figure8", "the same over a local-area network"},
       {"figure9", "over both, against two-level trees"}},
      [](const LabStudyOptions& options, const LabAccess& lab) {
        return karonis_on_lab(options, lab.measure);
      },
      {},
      nullptr,
      {},
      nullptr,
      karonis_lab_takes_long,
      /*has_random_cases=*/false,
      /*lab_takes_processes=*/true};
}

}  // namespace espalier::reproduce
