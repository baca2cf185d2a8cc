#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/contract.hpp"
#include "launch/slurm.hpp"

namespace espalier::launch {
namespace {

/// --export and where it stands, in `words` itself.
struct ExportOption {
  std::size_t word = 0;
  std::size_t length = 0;  ///< 2: its value is the next word
  std::string value;
};

std::optional<ExportOption> find_option(const CommandLine& line, std::size_t part,
                                        std::string_view name) {
  const CommandLine::Part& here = line.parts[part];
  std::optional<ExportOption> found;
  for (std::size_t i = here.first; i < here.program;) {
    const std::string& word = line.words[i];
    const std::size_t values = values_of(line.kind, word).value_or(0);
    const std::string begin = fmt::format("--{}", name);
    if (word == begin && values == 1 && i + 1 < here.program) {
      found = {i, 2, line.words[i + 1]};
    } else if (word.starts_with(begin + "=")) {
      found = {i, 1, word.substr(begin.size() + 1)};
    }
    i += 1 + values;
  }
  return found;
}

/// Takes LD_PRELOAD=X out of a list for --export, since Slurm takes the last. @return X
std::string take_preloaded(std::string& list) {
  constexpr std::string_view kBegin = "LD_PRELOAD=";
  std::string all;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (list.compare(at, kBegin.size(), kBegin) != 0) {
      at = end + 1;
      continue;
    }
    const std::string one = list.substr(at + kBegin.size(), end - at - kBegin.size());
    all += all.empty() ? one : ":" + one;
    list.erase(at, end + 1 - at);
  }
  if (list.ends_with(',')) list.pop_back();
  return all;
}

std::string export_list(std::string old, const std::string& library, const Variables& variables) {
  const bool is_told = !old.empty();
  const std::string preload = joined(library, take_preloaded(old));
  // NONE takes nothing beside it; naming variables has the same effect on all others.
  const bool all = !is_told || old == "ALL" || old.starts_with("ALL,");
  std::string list = !is_told ? "ALL" : old == "NONE" ? "" : old;
  const auto add = [&list](const std::string& one) {
    if (!list.empty()) list += ',';
    list += one;
  };
  add("LD_PRELOAD=" + preload);
  for (const auto& [name, value] : variables) {
    if (!all) add(name);
  }
  return list;
}

}  // namespace

std::optional<std::string> option_of(const CommandLine& line, std::size_t part,
                                     std::string_view name) {
  const auto found = find_option(line, part, name);
  return found ? std::optional(found->value) : std::nullopt;
}

std::optional<std::string> option_in_script(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  std::optional<std::string> found;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#SBATCH")) continue;
    std::istringstream words(line);
    const std::string begin = fmt::format("--{}", name);
    for (std::string word; words >> word;) {
      if (word == begin && words >> word) found = word;
      if (word.starts_with(begin + "=")) found = word.substr(begin.size() + 1);
    }
  }
  return found;
}

Expected<std::vector<std::string>> with_export(const CommandLine& line, const std::string& library,
                                               const Variables& variables,
                                               const SlurmSurroundings& around) {
  expects(is_slurm(line.kind), "with_export: neither srun nor sbatch");
  const std::string preload = joined(library, around.preloaded);
  if (preload.find(',') != std::string::npos) {
    return Error{preload, "Slurm's --export cannot hand on a name with a comma",
                 "move the library to another folder and name it with --library"};
  }
  std::vector<std::string> words = line.words;
  for (std::size_t p = line.parts.size(); p-- > 0;) {
    const auto place = find_option(line, p, "export");
    std::string old = place ? place->value : around.exported;
    if (old.empty()) old = option_in_script(around.script, "export").value_or("");
    const std::string text = "--export=" + export_list(old, preload, variables);
    const auto at =
        words.begin() + static_cast<std::ptrdiff_t>(place ? place->word : line.parts[p].first);
    if (place) {
      *at = text;
      if (place->length == 2) words.erase(at + 1);
    } else {
      words.insert(at, text);
    }
    // sbatch reads the user's own settings with NONE, and not with a list.
    if (line.kind == Launcher::Sbatch && old == "NONE") {
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(line.parts[p].first),
                   "--get-user-env");
    }
  }
  return words;
}

}  // namespace espalier::launch
