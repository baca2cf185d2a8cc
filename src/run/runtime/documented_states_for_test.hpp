#pragma once

// Tables of states in the documents, for tests that compare the code with them.
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace espalier::runtime {

using StateStep = std::pair<std::string, std::string>;

/// A table of docs/runtime.md: names in its first column, and where each leads to in its second.
struct DocumentedStates {
  std::vector<std::string> names;
  std::set<StateStep> steps;

  /// @param first the head of the first column
  explicit DocumentedStates(const std::string& first) {
    std::ifstream in(std::string(ESPALIER_SOURCE_DIR) + "/docs/runtime.md");
    std::string line;
    while (std::getline(in, line) && !line.starts_with("| " + first + " | leads to |")) {
    }
    std::getline(in, line);  // the rule below the head
    while (std::getline(in, line) && line.starts_with("|")) {
      std::istringstream cells(line.substr(1));
      std::string state, next;
      std::getline(cells, state, '|');
      std::getline(cells, next, '|');
      names.push_back(word_of(state));
      std::istringstream words(next);
      for (std::string word; std::getline(words, word, ',');) {
        if (!word_of(word).empty()) steps.insert({names.back(), word_of(word)});
      }
    }
  }

 private:
  static std::string word_of(std::string cell) {
    std::erase_if(cell, [](char c) { return c == ' ' || c == '`'; });
    return cell;
  }
};

/// The names as a test compares them.
template <typename Names>
std::vector<std::string> as_strings(const Names& names) {
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace espalier::runtime
