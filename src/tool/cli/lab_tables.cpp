#include <fmt/format.h>

#include "base/json.hpp"
#include "base/units.hpp"
#include "cli/lab_actions.hpp"
#include "cli/output.hpp"
#include "lab/ending.hpp"
#include "lab/lab.hpp"
#include "lab/slow_hosts.hpp"
#include "report/table.hpp"

namespace espalier::cli {
namespace {

using report::Align;

std::int64_t number(std::uint64_t n) { return static_cast<std::int64_t>(n); }

report::Table hosts_table(const lab::OpenLab& lab) {
  report::Table table{{{"host", "host"},
                       {"address", "address"},
                       {"ranks", "ranks"},
                       {"place", "place"},
                       {"cpu_percent", "cpu, %", Align::Right},
                       {"send_ps", "a send", Align::Right},
                       {"pid", "process", Align::Right}},
                      {}};
  for (std::size_t h = 0; h < lab.plan.hosts.size(); ++h) {
    const lab::LabHost& host = lab.plan.hosts[h];
    const pid_t pid = lab.holders[h];
    table.rows.push_back(
        {host.name, lab::address_text(host.address), fmt::format("{}", fmt::join(host.ranks, " ")),
         lab::path_name(lab.machine, host.place),
         report::Decimal{static_cast<double>(lab::cpu_share(lab.ranks, host)) / 10, 1},
         nanoseconds(lab.ranks.read(host.ranks.front()).send_ns),
         pid != 0 ? report::Cell(std::int64_t{pid}) : report::Cell("gone", report::Style::Bad)});
  }
  return table;
}

/// Bandwidths for people "100 Mbit/s", for programs bits a second, nothing if unlimited.
report::Cell rate_cell(std::uint64_t bits) {
  return Bandwidth{bits}.unlimited() ? report::Cell() : report::Cell(to_string(Bandwidth{bits}));
}

report::Table links_table(const lab::OpenLab& lab, std::span<lab::LinkCell> cells, bool all) {
  report::Table table{{{"link", "link", Align::Left, 20},
                       {"latency_ps", "latency", Align::Right},
                       {"rate", "rate", Align::Right},
                       {"packets", "packets", Align::Right},
                       {"bytes", "bytes", Align::Right},
                       {"drops", "drops", Align::Right},
                       {"state", "state"}},
                      {}};
  for (std::size_t l = 0; l < cells.size(); ++l) {
    const lab::LinkCell& cell = cells[l];
    if (!all && cell.packets == 0 && cell.drops == 0 && cell.is_cut == 0) continue;
    // Backbones and uplinks without a limit say nothing that ways do not say.
    const bool tells = lab.plan.links[l].kind == lab::LinkKind::Way ||
                       !Bandwidth{cell.bits_per_second}.unlimited() || cell.drops != 0;
    if (!all && !tells) continue;
    table.rows.push_back(
        {lab.plan.links[l].name, nanoseconds(cell.delay_ns), rate_cell(cell.bits_per_second),
         number(cell.packets), number(cell.bytes), number(cell.drops),
         cell.is_cut != 0 ? report::Cell("cut", report::Style::Bad) : report::Cell()});
  }
  return table;
}

double mean_lateness_us(const lab::RouterCell& router) {
  const auto released = static_cast<double>(router.released);
  return released > 0 ? static_cast<double>(router.late_ns) / released / 1e3 : 0;
}

void reset(lab::LinkBoard& board) {
  for (lab::LinkCell& cell : board.cells()) {
    cell.packets = 0;
    cell.bytes = 0;
    cell.drops = 0;
  }
  lab::RouterCell& router = board.router();
  router.released = 0;
  router.late_ns = 0;
  router.latest_ns = 0;
  router.refused = 0;
}

Json router_json(const lab::RouterCell& router) {
  return {{"frames", number(router.released)},
          {"mean_lateness_us", mean_lateness_us(router)},
          {"worst_lateness_us", static_cast<double>(router.latest_ns) / 1e3},
          {"refused", number(router.refused)}};
}

}  // namespace

Outcome lab_status(const LabOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  auto lab = lab_of(options);
  if (!lab) return Failure{lab.error()};
  const report::Table table = hosts_table(*lab);
  std::string text;
  if (options.json) {
    const Json router = lab->router != 0 ? Json(lab->router) : Json();
    text = Json{{"format", "espalier-lab-1"},
                {"state", lab->folder.path},
                {"whole", lab->is_whole()},
                {"router", router},
                {"cpu_by", lab->cpu ? "kernel" : "library"},
                {"hosts", report::to_json(table)}}
               .dump(1) +
           "\n";
  } else {
    const std::string router = lab->router != 0 ? fmt::format("process {}", lab->router) : "gone";
    text = fmt::format("lab in {}: {}; router: {}\n\n{}", lab->folder.path,
                       lab->is_whole() ? "up" : "broken", router, to_text(table, *canvas));
  }
  if (auto bad = write_output("-", text)) return bad;
  if (lab->is_whole()) return std::nullopt;
  return Failure{{"lab status", "the lab is broken: " + lab::why_broken(*lab),
                  "repair it: espalier lab up MACHINE"}};
}

Outcome lab_stats(const LabOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  auto lab = lab_of(options);
  if (!lab) return Failure{lab.error()};
  const report::Table table = links_table(*lab, lab->board.cells(), options.all);
  const lab::RouterCell& router = lab->board.router();
  const std::string text =
      options.json
          ? Json{{"format", "espalier-lab-stats-1"},
                 {"router", router_json(router)},
                 {"links", report::to_json(table)}}
                    .dump(1) +
                "\n"
          : fmt::format("{}\nrouter: {} frames, {:.1f} us late on average, {:.1f} us at worst\n",
                        to_text(table, *canvas), router.released.load(), mean_lateness_us(router),
                        static_cast<double>(router.latest_ns) / 1e3);
  if (auto bad = write_output("-", text)) return bad;
  if (options.reset) reset(lab->board);
  return std::nullopt;
}

}  // namespace espalier::cli
