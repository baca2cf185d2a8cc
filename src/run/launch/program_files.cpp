#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/file.hpp"
#include "launch/launcher_options.hpp"

namespace espalier::launch {
namespace {

bool names_a_file(Launcher kind, const std::string& word) {
  if (!word.starts_with('-')) return false;
  const std::string_view name = without_dashes(word);
  return kind == Launcher::Hydra ? name == "configfile" : is_open_mpi(kind) && name == "app";
}

/// As the launchers read it: hydra cuts lines at "#", Open MPI's at "//" too, anywhere.
std::string without_comment(const std::string& line, Launcher kind) {
  const std::size_t end =
      std::min(line.find('#'), is_open_mpi(kind) ? line.find("//") : std::string::npos);
  return line.substr(0, end);
}

/// The programs of the file, with ":" between them; a line may end with one itself.
Expected<std::vector<std::string>> parts_in(const std::string& file, Launcher kind) {
  const auto text = read_named_file(file, {.takes_pipes = true});
  if (!text) return Error{file, "the file of programs cannot be read", "check its name"};
  std::istringstream in(*text);
  std::vector<std::string> words;
  for (std::string line; std::getline(in, line);) {
    std::istringstream rest(without_comment(line, kind));
    std::string word;
    bool is_first = true;
    while (rest >> word) {
      if (is_first && !words.empty() && words.back() != ":") words.emplace_back(":");
      is_first = false;
      if (word == ":" && (words.empty() || words.back() == ":")) continue;
      words.push_back(word);
    }
  }
  if (!words.empty() && words.back() == ":") words.pop_back();
  if (words.empty()) return Error{file, "it names no programs", "write one on a line: -n 2 ./a"};
  return words;
}

}  // namespace

Expected<std::vector<std::string>> with_files_read(std::vector<std::string> words,
                                                   std::size_t launcher, Launcher kind) {
  for (std::size_t i = launcher + 1; i < words.size();) {
    if (!words[i].starts_with('-')) break;  // a program: what follows is its own
    if (!names_a_file(kind, words[i])) {
      i += 1 + values_of(kind, words[i], i + 1 < words.size() ? words[i + 1] : "").value_or(0);
      continue;
    }
    if (i + 2 != words.size()) {
      return Error{words[i], i + 1 == words.size() ? "no file is named" : "other words follow it",
                   fmt::format("write it last: {} FILE", words[i])};
    }
    auto parts = parts_in(words[i + 1], kind);
    if (!parts) return parts.error();
    words.resize(i);
    words.insert(words.end(), parts->begin(), parts->end());
    break;
  }
  return words;
}

}  // namespace espalier::launch
