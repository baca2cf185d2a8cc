#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "fuzz/require.hpp"
#include "topology/machine.hpp"
#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier::fuzz {

inline constexpr const char* kFile = "input";

/// "input:LINE" of a line that the text has (or the one after its end), a message of readable
/// length, and a hint.
inline void check_error(const Error& error, std::string_view text) {
  const std::string prefix = std::string(kFile) + ":";
  require(error.where.starts_with(prefix), "an error names the file");
  std::size_t line = 0;
  const char* end = error.where.data() + error.where.size();
  const auto result = std::from_chars(error.where.data() + prefix.size(), end, line);
  require(result.ec == std::errc() && result.ptr == end, "an error names the line");
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  require(line >= 1 && line <= lines, "the line of an error is one of the text");
  require(!error.what.empty() && error.what.size() < 1000, "an error can be read");
  require(!error.hint.empty() && error.hint.size() < 1000, "an error has a hint");
}

/// What was accepted can be asked for anything, and written and read back.
inline void check_machine(const topology::Machine& machine) {
  require(machine.size() >= 1, "a machine has a process");
  require(!machine.levels().empty(), "a machine has a level");
  const auto again = topology::read_json(topology::write_json(machine), kFile);
  require(again.has_value() && *again == machine, "what is written is read back exactly");
  const Rank last = machine.size() - 1;
  for (const Rank a : {Rank{0}, Rank{1}, last / 2, last}) {
    if (a > last) continue;
    require(machine.rank_at(machine.leaf_of(a)) == a, "rank_at is the inverse of leaf_of");
    require(machine.depth(a) <= machine.levels().size(),
            "no process has more levels than there are");
    require(machine.cluster_ids(a).size() == machine.depth(a), "one cluster id for each level");
    require(!machine.describe(a).empty(), "a process can be described");
    for (const Rank b : {Rank{0}, Rank{1}, last / 3, last}) {
      if (b > last) continue;
      const topology::Path there = machine.path(a, b);
      const topology::Path back = machine.path(b, a);
      require(there.latency == back.latency, "a way back takes as long");
      if (a == b) continue;
      require(there.level == back.level, "both ways meet at one level");
      require(there.level < std::min(machine.depth(a), machine.depth(b)),
              "two processes meet at a level of both");
    }
  }
}

}  // namespace espalier::fuzz
