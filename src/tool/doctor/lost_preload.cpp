#include "doctor/lost_preload.hpp"

#include <algorithm>
#include <vector>

#include "launch/ask.hpp"

namespace espalier::doctor {
namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r;&|()");
    if (begin == std::string_view::npos || line[begin] == '#') return words;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t\r;&|()"), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

/// "LD_PRELOAD=..." that does not hand on what was there.
bool replaces(std::string_view word) {
  return word.starts_with("LD_PRELOAD=") && word.find("$LD_PRELOAD") == std::string_view::npos &&
         word.find("${LD_PRELOAD") == std::string_view::npos &&
         word.find("libespalier") == std::string_view::npos;
}

/// How many words from this one on take LD_PRELOAD away; 0: they do not.
std::size_t loses(const std::vector<std::string>& words, std::size_t at) {
  const std::string& word = words[at];
  const auto follows = [&](std::string_view what) {
    return at + 1 < words.size() && words[at + 1] == what;
  };
  if (replaces(word)) return 1;
  if (word == "unset") {
    const auto named = std::find(words.begin() + static_cast<std::ptrdiff_t>(at), words.end(),
                                 std::string("LD_PRELOAD"));
    return named == words.end() ? 0 : static_cast<std::size_t>(named - words.begin()) - at + 1;
  }
  const auto runs = [&](std::string_view name) {
    return std::any_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at),
                       [&](const std::string& one) { return launch::file_name(one) == name; });
  };
  if (runs("env")) {
    if (word == "-i" || word == "-" || word == "--ignore-environment") return 1;
    if (word == "-uLD_PRELOAD" || word == "--unset=LD_PRELOAD") return 1;
    if (word == "-u" && follows("LD_PRELOAD")) return 2;
  }
  if (runs("srun")) {
    if (word == "--export=NONE") return 1;
    if (word == "--export" && follows("NONE")) return 2;
  }
  return 0;
}

}  // namespace

std::optional<LostPreload> lost_preload(std::string_view script) {
  for (int number = 1; !script.empty(); ++number) {
    const std::size_t end = std::min(script.find('\n'), script.size());
    const std::vector<std::string> words = words_of(script.substr(0, end));
    script.remove_prefix(std::min(end + 1, script.size()));
    for (std::size_t at = 0; at < words.size(); ++at) {
      const std::size_t count = loses(words, at);
      if (count == 0) continue;
      std::string all = words[at];
      for (std::size_t i = 1; i < count; ++i) all += " " + words[at + i];
      return LostPreload{number, std::move(all)};
    }
  }
  return std::nullopt;
}

}  // namespace espalier::doctor
