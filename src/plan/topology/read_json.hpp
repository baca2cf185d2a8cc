#pragma once

#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "topology/load_machine.hpp"

namespace espalier::topology {

/// A machine from the JSON form of docs/machine.md (schema: data/machine.schema.json).
/// @param file only named in errors
Expected<Machine> read_json(std::string_view text, const std::string& file);
/// With its "notes".
Expected<LoadedMachine> read_json_and_notes(std::string_view text, const std::string& file);

}  // namespace espalier::topology
