#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "tuning/report.hpp"

namespace espalier::tuning {

/// The formats of tuning files, by the names that users give.
enum class Format : std::uint8_t {
  OpenMpi,      ///< rules of coll/tuned as Open MPI 4.1 and 5 read them
  OpenMpiHan,   ///< the same, and rules of coll/han for calls that go by hosts
  OpenMpiJson,  ///< rules of coll/tuned as JSON, Open MPI 6
  Mpich,        ///< MPICH 4's selection files
};
[[nodiscard]] std::vector<std::string> format_names();
[[nodiscard]] std::optional<Format> format_named(std::string_view name);
[[nodiscard]] std::string_view name_of(Format format);

struct ExportRequest {
  Format format = Format::OpenMpi;
  TuningRules rules;
  std::string library;  ///< MPICH's library, whose own rules stay where ours have nothing to say
  /// Where the files will be, as text for a shell that starts in the same folder: "" for that
  /// folder, else "DIR/".
  std::string folder;
};

/// Operations that tuning files of any format have rules for here.
[[nodiscard]] std::vector<Operation> tuned_operations(Format format);

Expected<Export> make_export(const topology::Machine& machine, const ExportRequest& request);

}  // namespace espalier::tuning
