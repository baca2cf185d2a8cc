// Numbers that papers state in their text or in tables, beside those of our exhibits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.hpp"
#include "reproduce/report.hpp"

namespace espalier::reproduce {
namespace {

using Row = Json;

/// A row counts if this column has this value.
struct Where {
  const char* column;
  double value;
};

/// The largest of a column, among some rows, beside what the paper says.
struct Stated {
  const char* paper;
  const char* part;
  const char* what;
  double value;
  const char* column;
  std::vector<Where> where = {};
};

const std::vector<Stated>& stated_numbers() {
  static const std::vector<Stated> kAll{
      {"banikazemi", "figures4to6", "SPOC over the default, at most", 1.7, "spoc_factor"},
      {"banikazemi", "figures4to6", "FNF over the default, at most", 2.3, "best_fnf_factor"},
      {"banikazemi",
       "figures7to9",
       "SPOC over the default, 25 % fast, factor 4, 1 KB",
       2.3,
       "spoc_factor",
       {{"percent_fast", 25}, {"speed_factor", 4}, {"size_bytes", 1024}}},
      {"banikazemi",
       "figures7to9",
       "FNF over the default, 25 % fast, factor 4, 1 KB",
       3.3,
       "fnf_factor",
       {{"percent_fast", 25}, {"speed_factor", 4}, {"size_bytes", 1024}}},
      {"banikazemi", "figures7to9", "FNF over the default, at most", 4.5, "fnf_factor"},
      {"banikazemi",
       "figure10",
       "FNF over the default, half of the nodes fast",
       2.4,
       "fnf_factor",
       {{"percent_fast", 50}}},
  };
  return kAll;
}

bool counts(const Row& row, const std::vector<Where>& where) {
  return std::all_of(where.begin(), where.end(), [&](const Where& one) {
    return row.contains(one.column) && row[one.column].is_number() &&
           row[one.column].get<double>() == one.value;
  });
}

/// "participants 4": what tells a row from others.
std::string row_name(const Row& row) {
  const auto& [column, cell] = row.items().front();
  const std::string value = cell.is_string() ? cell.get<std::string>() : cell.dump();
  return fmt::format("{} {}", column, value);
}

/// The column of ours beside a column "paper_X"; nullptr: none.
const Row* ours_beside(const Row& row, const std::string& paper_key) {
  const std::string key = paper_key.substr(std::string_view("paper_").size());
  const Row* found = row.find(key);
  return found != nullptr && found->is_number() ? found : nullptr;
}

void add_columns(const Row& row, std::vector<Comparison>& found) {
  for (const auto& [key, value] : row.items()) {
    if (!key.starts_with("paper_") || !value.is_number()) continue;
    if (const Row* ours = ours_beside(row, key)) {
      found.push_back({fmt::format("{}: {}", row_name(row), key.substr(6)), ours->get<double>(),
                       value.get<double>()});
    } else if (key == "paper_us" && row.contains("latency_ps") && row["latency_ps"].is_number()) {
      found.push_back({fmt::format("{}: latency, us", row_name(row)),
                       row["latency_ps"].get<double>() / 1e6, value.get<double>()});
    }
  }
}

}  // namespace

std::vector<Comparison> compare(std::string_view paper, std::string_view part, const Json& rows) {
  std::vector<Comparison> found;
  for (const Row& row : rows) add_columns(row, found);
  for (const Stated& one : stated_numbers()) {
    if (one.paper != paper || one.part != part) continue;
    double most = -1;
    for (const Row& row : rows) {
      if (!counts(row, one.where) || !row.contains(one.column)) continue;
      if (row[one.column].is_number()) most = std::max(most, row[one.column].get<double>());
    }
    if (most >= 0) found.push_back({one.what, most, one.value});
  }
  std::erase_if(found, [](const Comparison& one) { return one.paper == 0; });
  return found;
}

std::string verdict(const std::vector<Comparison>& comparisons) {
  if (comparisons.empty()) return "";
  constexpr double kSame = 0.05;
  const auto off = [](const Comparison& one) { return std::abs(one.ratio() - 1); };
  const auto farthest =
      std::max_element(comparisons.begin(), comparisons.end(),
                       [&](const Comparison& a, const Comparison& b) { return off(a) < off(b); });
  const auto same = std::count_if(comparisons.begin(), comparisons.end(),
                                  [&](const Comparison& one) { return off(one) <= kSame; });
  const std::size_t all = comparisons.size();
  if (off(*farthest) <= kSame) {
    return fmt::format("{} of the paper is within 5 % of ours (most: {:.1f} %).",
                       all == 1 ? "The number" : fmt::format("Each of the {} numbers", all),
                       100 * off(*farthest));
  }
  const bool is_more = farthest->ratio() > 1;
  return fmt::format(
      "{} of {} numbers of the paper within 5 % of ours; the farthest is {}: ours is {:.3g}, the "
      "paper's {:.3g}, {:.0f} % {}.",
      same, all, farthest->what, farthest->ours, farthest->paper, 100 * off(*farthest),
      is_more ? "more" : "less");
}

}  // namespace espalier::reproduce
