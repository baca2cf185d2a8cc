#include "doctor/calls.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "doctor/tables.hpp"

namespace espalier::doctor {
namespace {

using runtime::Reason;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// What becomes of a function; nothing: it is planned where that gains.
struct Fate {
  std::string name;  ///< C name: "MPI_Ibcast"
  std::optional<Reason> native;
};

/// By the name in small letters without "mpi_": "ibcast".
using Fates = std::map<std::string, Fate>;

void add(Fates& fates, const std::string& base, std::optional<Reason> native) {
  fates.emplace(lower(base), Fate{"MPI_" + base, native});
}

/// MPI_Bcast -> MPI_Ibcast
std::string non_blocking(std::string base) {
  base.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(base.front())));
  return "I" + base;
}

template <typename Visit>
void for_each_function(std::string_view table, Visit visit) {
  std::istringstream lines{std::string(table)};
  for (std::string line; std::getline(lines, line);) {
    const std::string told = line.substr(0, line.find('#'));
    std::istringstream words(told);
    std::string name;
    if (words >> name && name.starts_with("MPI_")) visit(name.substr(4), told);
  }
}

Fates read_tables() {
  std::map<std::string, bool>
      interposed;  // function -> whether its large-count form is interposed too
  for_each_function(kFunctionsTable, [&](const std::string& base, const std::string& line) {
    interposed[base] = line.find(":wide") != std::string::npos;
  });
  Fates fates;
  for_each_function(kCollectivesTable, [&](const std::string& base, const std::string& /*line*/) {
    const auto own = interposed.find(base);
    const bool is_ours = own != interposed.end();
    const bool wide = is_ours && (own->second || base == "Barrier");
    add(fates, base, is_ours ? std::nullopt : std::optional(Reason::NoPlan));
    add(fates, base + "_c", wide ? std::nullopt : std::optional(Reason::LargeCounts));
    add(fates, non_blocking(base), Reason::NonBlocking);
    add(fates, non_blocking(base) + "_c", Reason::NonBlocking);
    add(fates, base + "_init", Reason::Persistent);
    add(fates, base + "_init_c", Reason::Persistent);
  });
  return fates;
}

/// "MPI_Bcast", "mpi_bcast_", "mpi_bcast_f08ts_", "MPIX_Bcast_init" -> "bcast", "bcast_init"
std::string base_of(const std::string& symbol) {
  std::string name = lower(symbol);
  for (const std::string_view prefix : {"mpi_", "mpix_"}) {
    if (!name.starts_with(prefix)) continue;
    name.erase(0, prefix.size());
    for (const std::string_view suffix : {"_f08ts_", "_f08_", "__", "_"}) {
      if (!name.ends_with(suffix)) continue;
      name.resize(name.size() - suffix.size());
      break;
    }
    return name;
  }
  return "";
}

}  // namespace

Calls calls_among(std::span<const std::string> symbols) {
  static const Fates kFates = read_tables();
  Calls calls;
  for (const std::string& symbol : std::set<std::string>(symbols.begin(), symbols.end())) {
    const bool is_hidden = symbol.starts_with("PMPI_");
    const auto fate = kFates.find(base_of(is_hidden ? symbol.substr(1) : symbol));
    if (fate == kFates.end()) continue;
    auto& list = is_hidden             ? calls.hidden
                 : fate->second.native ? calls.native[*fate->second.native]
                                       : calls.planned;
    const std::string name = is_hidden ? symbol : fate->second.name;
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  }
  return calls;
}

}  // namespace espalier::doctor
