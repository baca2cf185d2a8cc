#include "cli/plan_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/table.hpp"

namespace espalier::cli {
namespace {

using report::Align;
using report::Cell;

/// A unit for all figures of a column.
struct ColumnUnit {
  std::string_view name;
  double worth = 1;  ///< picoseconds or bytes
  int places = 0;    ///< digits after the point

  [[nodiscard]] std::string of(double value) const {
    return fmt::format("{:.{}f}", value / worth, places);
  }
};

/// The largest unit in which the least figure is not below 1, with four digits of it.
ColumnUnit unit_for(double least, std::span<const ColumnUnit> units) {
  ColumnUnit unit = units.back();
  for (const ColumnUnit& one : units) {
    if (least < one.worth) continue;
    unit = one;
    break;
  }
  const double whole = std::max(1.0, least / unit.worth);
  unit.places = unit.worth == 1 ? 0 : std::clamp(3 - static_cast<int>(std::log10(whole)), 0, 3);
  return unit;
}

constexpr std::array kTimes{ColumnUnit{"s", 1e12}, ColumnUnit{"ms", 1e9}, ColumnUnit{"us", 1e6},
                            ColumnUnit{"ns", 1e3}, ColumnUnit{"ps", 1}};
constexpr std::array kSizes{ColumnUnit{"GiB", 0x1p30}, ColumnUnit{"MiB", 0x1p20},
                            ColumnUnit{"KiB", 0x1p10}, ColumnUnit{"B", 1}};

double picoseconds(Time time) { return static_cast<double>(time.picoseconds); }

/// Whether two plans do the same as far as one can see: as fast, and as much on each level.
bool are_alike(const PlanRow& a, const PlanRow& b) {
  if (!a.simulated || !b.simulated || a.finish != b.finish) return false;
  return std::equal(a.simulated->levels.begin(), a.simulated->levels.end(),
                    b.simulated->levels.begin(), [](const auto& one, const auto& other) {
                      return one.messages == other.messages && one.bytes == other.bytes;
                    });
}

/// Rows of the report that are shown as one, by the name of `shown`.
struct Fold {
  std::size_t count = 1;
  std::size_t shown = 0;
};

/// Rows are sorted by time: those that are alike stand among those of the same time.
/// @param folds_any false: every row stands for itself
std::vector<Fold> folds_of(const PlanReport& report, bool folds_any) {
  std::vector<Fold> folds;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    Fold* alike = nullptr;
    for (std::size_t f = folds.size(); folds_any && f-- > 0 && alike == nullptr;) {
      const PlanRow& row = report.rows[folds[f].shown];
      if (row.finish != report.rows[i].finish) break;
      if (are_alike(row, report.rows[i])) alike = &folds[f];
    }
    if (alike == nullptr) {
      folds.push_back({1, i});
      continue;
    }
    ++alike->count;
    if (i == report.chosen) alike->shown = i;
  }
  return folds;
}

std::string mark(const PlanReport& report, const Fold& fold) {
  std::string text = fold.shown == report.chosen ? "<- chosen" : "";
  if (fold.count > 1)
    text += fmt::format("{}and {} alike", text.empty() ? "" : ", ", fold.count - 1);
  return text;
}

/// The units of the columns: one for times, and one for the bytes of each level.
struct Units {
  ColumnUnit time;
  std::vector<ColumnUnit> levels;
};
Units units_of(const PlanReport& report) {
  // One for both columns of times, which are to be compared.
  double least = picoseconds(report.rows.front().time());
  for (const PlanRow& row : report.rows) {
    least = std::min(least, picoseconds(row.choice.predicted));
  }
  Units units{unit_for(least, kTimes), {}};
  for (std::size_t l = 0; l < report.machine.levels().size(); ++l) {
    double fewest = 0;
    for (const PlanRow& row : report.rows) {
      if (!row.simulated) continue;
      const auto bytes = static_cast<double>(row.simulated->levels[l].bytes.value);
      if (bytes > 0 && (fewest == 0 || bytes < fewest)) fewest = bytes;
    }
    ColumnUnit unit = unit_for(fewest, kSizes);
    const bool are_whole =
        std::all_of(report.rows.begin(), report.rows.end(), [&](const PlanRow& row) {
          return !row.simulated ||
                 std::fmod(static_cast<double>(row.simulated->levels[l].bytes.value), unit.worth) ==
                     0;
        });
    if (are_whole) unit.places = 0;
    units.levels.push_back(unit);
  }
  return units;
}

}  // namespace

std::string plan_table_text(const PlanReport& report, const report::Canvas& canvas,
                            std::size_t shown) {
  const Units units = units_of(report);
  const bool has_times = std::any_of(report.rows.begin(), report.rows.end(),
                                     [](const PlanRow& row) { return row.finish.has_value(); });
  report::Table table;
  table.columns = {{"", "plan"}, {"", fmt::format("predicted, {}", units.time.name), Align::Right}};
  if (has_times) {
    table.columns.push_back({"", fmt::format("simulated, {}", units.time.name), Align::Right});
    table.columns.push_back({"", "x best", Align::Right});
  }
  for (std::size_t l = 0; has_times && l < units.levels.size(); ++l) {
    table.columns.push_back(
        {"",
         fmt::format("{}, {}", select::symbol(report.machine, static_cast<std::uint32_t>(l)),
                     units.levels[l].name),
         Align::Right});
  }
  table.columns.push_back({"", " "});
  std::size_t told = 0;
  std::size_t seen = 0;
  for (const Fold& fold : folds_of(report, shown != kEveryRow)) {
    const bool is_chosen = fold.shown == report.chosen;
    if (told >= shown && !is_chosen) continue;
    ++told;
    seen += fold.count;
    const PlanRow& row = report.rows[fold.shown];
    const auto style = is_chosen ? report::Style::Good : report::Style::Plain;
    std::vector<Cell> cells{{name_of(row.choice.plan, report.call), style},
                            {units.time.of(picoseconds(row.choice.predicted))}};
    if (row.finish) {
      const double best = picoseconds(report.rows.front().time());
      cells.emplace_back(units.time.of(picoseconds(*row.finish)));
      cells.emplace_back(fmt::format("{:.3f}", best > 0 ? picoseconds(*row.finish) / best : 1.0));
    }
    for (std::size_t l = 0; row.simulated && l < units.levels.size(); ++l) {
      cells.emplace_back(
          units.levels[l].of(static_cast<double>(row.simulated->levels[l].bytes.value)));
    }
    cells.resize(table.columns.size() - 1);
    cells.emplace_back(mark(report, fold), style);
    table.rows.push_back(std::move(cells));
  }
  std::string text = report::to_text(table, canvas);
  if (seen < report.rows.size()) {
    const auto without = std::count_if(report.rows.begin(), report.rows.end(),
                                       [](const PlanRow& row) { return !row.finish; });
    text += fmt::format("({} more{}; --all shows them)\n", report.rows.size() - seen,
                        without > 0 ? fmt::format(", {} of all not simulated", without) : "");
  }
  return text;
}

}  // namespace espalier::cli
