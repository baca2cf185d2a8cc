// Numbers that papers state in their text or in tables, beside those of our exhibits.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/json.hpp"
#include "reproduce/report.hpp"

namespace espalier::reproduce {
namespace {

using Row = Json;

/// What of a row is looked at.
enum class Figure : std::uint8_t {
  Plain,  ///< the column
  Times,  ///< the column `over` divided by it: how many times as fast
  Less,   ///< how much less than the column `over`, in per cent
};

/// A row counts if this column has this value.
struct Where {
  const char* column;
  double value;
  const char* text = nullptr;  ///< instead of a value: another text than this
};

enum class Which : std::uint8_t { Most, Least };

/// The largest or least of some rows, beside what the paper says.
struct Stated {
  const char* paper;
  const char* part;
  const char* what;
  double value;
  const char* column;
  std::vector<Where> where = {};
  Which which = Which::Most;
  Figure figure = Figure::Plain;
  const char* over = "";
};

const std::vector<Stated>& banikazemi_numbers() {
  static const std::vector<Where> kHalfOf16{{"nodes", 16}, {"fast", 8}};
  static const std::vector<Where> kHalfOf8{{"nodes", 8}, {"fast", 4}};
  static const std::vector<Where> kMiddle{
      {"percent_fast", 25}, {"speed_factor", 4}, {"size_bytes", 1024}};
  static const std::vector<Stated> kAll = [] {
    std::vector<Stated> all{
        {"banikazemi", "figures7to9", "SPOC over the default, 25 % fast, factor 4, 1 KB", 2.3,
         "spoc_factor", kMiddle},
        {"banikazemi", "figures7to9", "FNF over the default, 25 % fast, factor 4, 1 KB", 3.3,
         "fnf_factor", kMiddle},
        {"banikazemi", "figures7to9", "FNF over the default, at most (abstract)", 4.5,
         "fnf_factor"},
        {"banikazemi", "figures7to9", "FNF over the default, at most (introduction)", 4.9,
         "fnf_factor"},
        {"banikazemi", "contention", "SPOC over the default, 25 % fast, factor 4, 1 KB", 2.3,
         "spoc_us", kMiddle, Which::Most, Figure::Times, "default_us"},
        {"banikazemi", "contention", "FNF over the default, 25 % fast, factor 4, 1 KB", 3.3,
         "fnf_us", kMiddle, Which::Most, Figure::Times, "default_us"},
        {"banikazemi",
         "figure10",
         "FNF over the default, half of the nodes fast",
         2.4,
         "fnf_factor",
         {{"percent_fast", 50}}},
    };
    for (const char* part : {"figures4to6", "figures4to5"}) {  // simulated, and in a lab
      all.push_back({"banikazemi", part, "SPOC over the default, 16 nodes, 8 of them fast", 1.7,
                     "spoc_factor", kHalfOf16});
      all.push_back({"banikazemi",
                     part,
                     "FNF over the default, 16 nodes, at most",
                     2.3,
                     "best_fnf_factor",
                     {{"nodes", 16}}});
      all.push_back({"banikazemi", part, "FNF over the default, 8 nodes, 4 of them fast, at most",
                     2.5, "best_fnf_factor", kHalfOf8});
      all.push_back({"banikazemi", part, "FNF over the default, at most (abstract, 24 nodes)", 3.5,
                     "best_fnf_factor"});
    }
    return all;
  }();
  return kAll;
}

const std::vector<Stated>& dichev_numbers() {
  static const std::vector<Where> kLargerRatios{{"lengths", 0, "cpu-speed"}};
  static const std::vector<Stated> kAll{
      {"dichev", "switch", "maximum-first, larger ratios: less time than binomial, %, least", 25,
       "maximum-first_ms", kLargerRatios, Which::Least, Figure::Less, "binomial_ms"},
      {"dichev", "switch", "maximum-first, larger ratios: less time than binomial, %, most", 35,
       "maximum-first_ms", kLargerRatios, Which::Most, Figure::Less, "binomial_ms"},
      {"dichev",
       "grid",
       "minimum-first: less time than binomial, %, at most",
       75,
       "minimum-first_ms",
       {},
       Which::Most,
       Figure::Less,
       "binomial_ms"},
      {"dichev",
       "grid",
       "model-based Traeff: less time than the original, %, at most",
       60,
       "model-traeff_ms",
       {},
       Which::Most,
       Figure::Less,
       "traeff_ms"},
  };
  return kAll;
}

/// Why an exhibit has no number of its paper beside it.
struct Silent {
  const char* paper;
  const char* part;
  const char* why;
};

constexpr Silent kSilent[] = {
    {"karonis", "figure6", "The paper's Figure 6 is a program; the paper states no number for it."},
    {"karonis", "figure7",
     "The paper has Figure 7 as curves and states no number of it; the numbers of its text are "
     "beside the exhibit \"counts\"."},
    {"karonis", "figure8",
     "The paper has Figure 8 as curves and states no number of it; the numbers of its text are "
     "beside the exhibit \"counts\"."},
    {"karonis", "figure9",
     "The paper has Figure 9 as curves and states no number of it; the numbers of its text are "
     "beside the exhibit \"counts\"."},
    {"karonis", "lan",
     "This exhibit is not in the paper, which states no figures of its networks."},
    {"langer", "figure3", "The paper has Figure 3 as curves; its text states no time."},
    {"langer", "cause", "This exhibit is not in the paper."},
    {"langer", "figure4",
     "The paper's numbers are for 131,072 processes; this run has fewer of them."},
    {"langer", "messages",
     "The paper's numbers are for 131,072 processes; this run has fewer of them."},
    {"langer", "table1",
     "The paper's numbers are for 32,768 processes; this run has fewer of them."},
    {"langer", "many", "This exhibit is not in the paper, which leaves it to later work."},
    {"langer", "traffic", "This exhibit is not in the paper, which leaves it to later work."},
    {"langer", "made", "The paper states no number for so few processes."},
    {"langer", "called",
     "The paper times how groups are made, not their collectives: it states no number."},
    {"park", "sensitivity",
     "This exhibit is not in the paper, which states no figures of its network."},
};

bool counts(const Row& row, const std::vector<Where>& where) {
  return std::all_of(where.begin(), where.end(), [&](const Where& one) {
    const Row* cell = row.find(one.column);
    if (cell == nullptr) return false;
    if (one.text != nullptr) return cell->is_string() && cell->get<std::string>() != one.text;
    return cell->is_number() && cell->get<double>() == one.value;
  });
}

std::optional<double> number_in(const Row& row, const char* column) {
  const Row* cell = row.find(column);
  if (cell == nullptr || !cell->is_number()) return std::nullopt;
  return cell->get<double>();
}

std::optional<double> stated_figure_of(const Row& row, const Stated& one) {
  const std::optional<double> value = number_in(row, one.column);
  if (one.figure == Figure::Plain || !value) return value;
  const std::optional<double> over = number_in(row, one.over);
  if (!over || *over <= 0 || *value <= 0) return std::nullopt;
  return one.figure == Figure::Times ? *over / *value : 100 * (1 - *value / *over);
}

void add_stated(const std::vector<Stated>& all, std::string_view paper, std::string_view part,
                const Json& rows, std::vector<Comparison>& found) {
  for (const Stated& one : all) {
    if (one.paper != paper || one.part != part) continue;
    std::optional<double> ours;
    for (const Row& row : rows) {
      if (!counts(row, one.where)) continue;
      const std::optional<double> value = stated_figure_of(row, one);
      if (!value) continue;
      const double kept = ours.value_or(*value);
      ours = one.which == Which::Most ? std::max(kept, *value) : std::min(kept, *value);
    }
    if (ours) found.push_back({one.what, *ours, one.value});
  }
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
  add_stated(banikazemi_numbers(), paper, part, rows, found);
  add_stated(dichev_numbers(), paper, part, rows, found);
  return found;
}

std::string why_without_numbers(std::string_view paper, std::string_view part) {
  for (const Silent& one : kSilent) {
    if (one.paper == paper && one.part == part) return one.why;
  }
  return "";
}

std::string verdict_of(const ReportedPart& part) {
  if (!part.comparisons.empty()) return verdict(part.comparisons);
  const std::string why = why_without_numbers(part.paper, part.key);
  return why.empty() ? "The paper states no number for this exhibit." : why;
}

std::string verdict(const std::vector<Comparison>& comparisons) {
  if (comparisons.empty()) return "";
  const auto farthest =
      std::max_element(comparisons.begin(), comparisons.end(),
                       [](const Comparison& a, const Comparison& b) { return a.off() < b.off(); });
  const auto same = std::count_if(comparisons.begin(), comparisons.end(),
                                  [](const Comparison& one) { return one.is_same(); });
  const std::size_t all = comparisons.size();
  if (farthest->is_same()) {
    return fmt::format("{} of the paper is within 5 % of ours (most: {:.1f} %).",
                       all == 1 ? "The number" : fmt::format("Each of the {} numbers", all),
                       100 * farthest->off());
  }
  const std::string by = farthest->paper == 0
                             ? ""
                             : fmt::format(", {:.0f} % {}", 100 * farthest->off(),
                                           farthest->ratio() > 1 ? "more" : "less");
  return fmt::format(
      "{} of {} numbers of the paper within 5 % of ours; the farthest is {}: ours is {:.3g}, the "
      "paper's {:.3g}{}.",
      same, all, farthest->what, farthest->ours, farthest->paper, by);
}

}  // namespace espalier::reproduce
