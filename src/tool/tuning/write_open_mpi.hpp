#pragma once

#include <string>
#include <string_view>

#include "tuning/decide.hpp"

namespace espalier::tuning {

/// A name of Open MPI's collectives: "bcast" and its number in rules files.
struct OpenMpiName {
  std::string_view name;
  int number = 0;
};
[[nodiscard]] OpenMpiName open_mpi_name(Operation operation);

/// Whether sizes of its rules are of all blocks together.
[[nodiscard]] bool counts_all_blocks(Operation operation);

/// The rules file of coll/tuned that Open MPI 4.1 and 5 read. Other communicator sizes keep what
/// the library takes itself. A size that several shapes of communicators have gets the rules that
/// rules_by_size() takes.
[[nodiscard]] std::string open_mpi_rules(const Tuning& tuning);

/// The same as JSON, for Open MPI 6 (rule_file_version 3).
[[nodiscard]] std::string open_mpi_json(const Tuning& tuning);

}  // namespace espalier::tuning
