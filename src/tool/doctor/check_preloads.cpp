#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "doctor/checks.hpp"
#include "launch/ask.hpp"
#include "launch/elf.hpp"
#include "launch/mpi_kind.hpp"

namespace espalier::doctor {
namespace {

constexpr const char* kPreloadsArea = "preload";

struct InterposingTool {
  std::string_view prefix;
  std::string_view name;
};
constexpr std::array kTools{
    InterposingTool{"libmpiP", "mpiP"},       InterposingTool{"libscorep", "Score-P"},
    InterposingTool{"libdarshan", "Darshan"}, InterposingTool{"libTAU", "TAU"},
    InterposingTool{"libtau", "TAU"},         InterposingTool{"libmpitrace", "Extrae"},
    InterposingTool{"libextrae", "Extrae"},   InterposingTool{"libVT", "Vampir"},
    InterposingTool{"libipm", "IPM"},         InterposingTool{"libmap-sampler", "Arm MAP"},
    InterposingTool{"libmust", "MUST"},       InterposingTool{"libhpcrun", "HPCToolkit"}};

bool is_ours(const std::string& name) { return name == launch::kLibrary; }
/// What the library opens itself, where it is wanted.
bool is_variant(const std::string& name) {
  return std::any_of(launch::kVariants.begin(), launch::kVariants.end(),
                     [&name](const launch::Variant& one) { return name == one.file; });
}

bool defines_init(const std::string& file) {
  const auto symbols = launch::read_symbols(file).offered;
  return std::find(symbols.begin(), symbols.end(), "MPI_Init") != symbols.end();
}

Finding check_one(const std::string& file) {
  const std::string name = launch::file_name(file);
  std::error_code error;
  // A bare name is looked up by the loader: not here.
  if (file.find('/') != std::string::npos && !std::filesystem::exists(file, error)) {
    return {kPreloadsArea, Severity::Warning, file, "it is preloaded, but there is no such file",
            "take it out of LD_PRELOAD: the loader complains in every program"};
  }
  if (is_ours(name)) {
    return {kPreloadsArea, Severity::Note, file,
            "Espalier's library is preloaded in every program started here",
            "unset LD_PRELOAD and use espalier run, which knows where it can serve"};
  }
  if (is_variant(name)) {
    return {kPreloadsArea, Severity::Problem, file,
            "a part of Espalier that is not preloaded by itself: programs without MPI do not start",
            fmt::format("preload {} instead, or use espalier run", launch::kLibrary)};
  }
  if (name.starts_with("libasan") || name.starts_with("libclang_rt.asan")) {
    return {kPreloadsArea, Severity::Warning, file,
            "AddressSanitizer wants to be loaded before all other libraries",
            "set ASAN_OPTIONS=verify_asan_link_order=0"};
  }
  const auto tool = tool_named(name);
  if (tool || defines_init(file)) {
    return {kPreloadsArea, Severity::Note, file,
            fmt::format("{} interposes MPI too; it stays, behind Espalier's library",
                        tool.value_or("it")),
            "it sees native calls and not planned ones: preload it first by hand to see all"};
  }
  return {kPreloadsArea, Severity::Ok, file, "preloaded; it does not touch MPI", ""};
}

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find_first_of(": \t\n", at), list.size());
    if (end > at) parts.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

}  // namespace

std::optional<std::string> tool_named(std::string_view library) {
  for (const InterposingTool& tool : kTools) {
    if (library.starts_with(tool.prefix)) return std::string(tool.name);
  }
  return std::nullopt;
}

Findings check_preloads(const Environment& environment, const std::string& system) {
  Findings all;
  std::vector<std::string> ours;
  for (const std::string& file : parts_of(value_of(environment, "LD_PRELOAD"))) {
    all.push_back(check_one(file));
    if (is_ours(launch::file_name(file))) ours.push_back(file);
  }
  if (ours.size() > 1) {
    all.push_back({kPreloadsArea, Severity::Problem, "LD_PRELOAD",
                   fmt::format("two of Espalier's libraries at once: {}", fmt::join(ours, ", ")),
                   "unset LD_PRELOAD and use espalier run"});
  }
  for (const std::string& file : parts_of(system)) {
    Finding one = check_one(file);
    one.subject = "/etc/ld.so.preload: " + file;
    all.push_back(std::move(one));
  }
  if (all.empty())
    all.push_back({kPreloadsArea, Severity::Ok, "LD_PRELOAD", "nothing else is preloaded", ""});
  return all;
}

}  // namespace espalier::doctor
