#pragma once

#include <string>

#include "cli/command.hpp"

namespace espalier::cli {

/// The options of `bench --on smpi`, as written.
struct SmpiOptions {
  std::string machines;
  std::string placements = "block,cyclic";
  std::string peers = "ompi,mpich,mvapich2,impi";
  bool single = false;
  bool candidates = false;
  int roots = 2;
  int at_once = 0;  ///< how many runs at a time; 0 means one for each core
  int seconds = 60;
  std::string memory = "3GiB";
  std::string resume;
  std::string html;
  // Options that `bench --on lab` has too.
  std::string operations;
  std::string sizes;
  std::string save;
  bool json = false;
  bool csv = false;
};

void add_smpi_options(App& app, SmpiOptions& options);
[[nodiscard]] Outcome bench_on_smpi(const SmpiOptions& options, const Globals& globals);

}  // namespace espalier::cli
