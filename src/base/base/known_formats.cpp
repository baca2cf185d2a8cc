#include "base/known_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace espalier {
namespace {

struct KnownFormat {
  std::string_view name;  ///< "machine" of "espalier-machine-1"
  std::string_view what;
  std::string_view readers;  ///< empty: no command reads it
};

constexpr std::array kKnownFormats{
    KnownFormat{"machine", "a machine", "espalier show, and for --machine of other commands"},
    KnownFormat{"inventory", "an inventory", "espalier place --inventory"},
    KnownFormat{"profile", "a profile", "espalier profile show and espalier place --profile"},
    KnownFormat{"schedule", "a schedule", "espalier verify, convert, view and simulate --schedule"},
    KnownFormat{"trace", "a trace", "espalier trace and espalier view"},
    KnownFormat{"placement", "a placement", "espalier view with --machine INVENTORY"},
    KnownFormat{"tree", "what espalier tree --json wrote", ""},
    KnownFormat{"compare", "what espalier compare --json wrote", ""},
    KnownFormat{"plan", "what espalier plan --json wrote", ""},
    KnownFormat{"irregular", "what espalier wrote with --counts and --json", ""},
    KnownFormat{"simulation", "what espalier simulate --json wrote", ""},
    KnownFormat{"verdict", "what espalier verify --json wrote", ""},
    KnownFormat{"trace-comparison", "what espalier trace --json wrote", ""},
    KnownFormat{"group", "what espalier group --json wrote", ""},
    KnownFormat{"weather", "what espalier weather --json wrote", ""},
    KnownFormat{"export", "what espalier export --json wrote", ""},
    KnownFormat{"doctor", "what espalier doctor --json wrote", ""},
    KnownFormat{"bench", "what espalier bench wrote", ""},
    KnownFormat{"reproduce", "what espalier reproduce wrote",
                "espalier reproduce all --measured, if it was measured"},
    KnownFormat{"reproduce-part", "a part of a report", "espalier reproduce all, in its folder"},
    KnownFormat{"report", "what espalier reproduce all wrote", ""},
    KnownFormat{"lab", "what espalier lab wrote", ""},
    KnownFormat{"lab-stats", "what espalier lab stats --json wrote", ""},
    KnownFormat{"view", "what espalier view serves", "its page"},
    KnownFormat{"view-plan", "what espalier view serves", "its page"},
    KnownFormat{"programs", "what make bench-programs wrote", ""},
    KnownFormat{"verdicts", "a file of decisions of trials", "the library (ESPALIER_VERDICTS)"},
    KnownFormat{"discovery", "a machine as the library keeps it",
                "the library; espalier discover -o FILE writes one for commands"}};

constexpr std::string_view kOurs = "espalier-";

std::string_view without_version(std::string_view format) {
  return format.substr(0, format.rfind('-'));
}

}  // namespace

std::string who_reads(std::string_view format) {
  if (!format.starts_with(kOurs)) return "";
  const std::string_view name = without_version(format.substr(kOurs.size()));
  const auto known = std::find_if(kKnownFormats.begin(), kKnownFormats.end(),
                                  [&](const KnownFormat& one) { return one.name == name; });
  if (known == kKnownFormats.end()) return "";
  if (known->readers.empty()) {
    return fmt::format("it is {}, for other programs: no command reads it", known->what);
  }
  return fmt::format("it is {}, for {}", known->what, known->readers);
}

bool is_other_version(std::string_view format, std::string_view other) {
  return format != other && without_version(format) == without_version(other);
}

}  // namespace espalier
