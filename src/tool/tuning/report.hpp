#pragma once

#include <string>
#include <vector>

#include "report/table.hpp"
#include "report/text.hpp"
#include "tuning/decide.hpp"

namespace espalier::tuning {

/// A file that export writes, or shows.
struct TuningFile {
  std::string name;
  std::string text;
};

/// What a format needs besides its decisions.
struct Export {
  std::string format;  ///< "openmpi"
  Tuning tuning;
  std::vector<TuningFile> files;
  std::string settings;  ///< lines for a shell and for launchers
  std::vector<std::string>
      notes;  ///< decisions that the file's format has no words for, and algorithms left out
};

/// "pipeline, 8 KiB", "as it is".
[[nodiscard]] std::string describe(const SizeRule& rule);

/// One row for each operation and size of calls among all ranks.
[[nodiscard]] report::Table decisions_table(const Tuning& tuning);

/// For people: the table, what is lost against the preload and why, the settings.
[[nodiscard]] std::string export_text(const Export& all, const report::Canvas& canvas);
/// The document espalier-export-1 of docs/formats.md.
[[nodiscard]] std::string export_json(const Export& all);

/// Lines for launchers that put the ranks of a machine on its hosts as the machine has them.
/// Open MPI: a rankfile; MPICH: "host:count" in the order of ranks. Hosts have the machine's own
/// names if each has one and all differ, else those of a lab ("rack0-node1"). Empty if the machine
/// is no set of hosts.
[[nodiscard]] std::string rank_order_file(const topology::Machine& machine, select::NativeMpi mpi);

/// The first host's name in that file if the machine only counts its hosts ("node0"), and they may
/// have other names; else "".
[[nodiscard]] std::string counted_host_name(const topology::Machine& machine);

}  // namespace espalier::tuning
