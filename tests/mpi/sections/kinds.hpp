#pragma once

#include <string>
#include <vector>

#include "mpi/sections/steps.hpp"

namespace espalier::sections {

/// What makes sections of a kind different from the others: a step of its own.
struct Kind {
  const char* name;
  Step step;        ///< null: only what any section has
  unsigned weight;  ///< how often, among the kinds of a launch
  bool on_world = false;
};

/// All of them; those that end the program have weight 0 and are asked for by name.
const std::vector<Kind>& all_kinds();

/// The kinds of a list with commas. Empty if one of them is not known.
std::vector<Kind> kinds_named(const std::string& names);

}  // namespace espalier::sections
