#pragma once

#include <string>
#include <string_view>

namespace espalier {

/// Who reads a file whose "format" is this ("espalier-inventory-1"), as a hint: "it is an
/// inventory, for espalier place --inventory". "" if it is no format of ours.
[[nodiscard]] std::string who_reads(std::string_view format);

/// Whether two formats differ in nothing but their version: "espalier-machine-1" and
/// "espalier-machine-9".
[[nodiscard]] bool is_other_version(std::string_view format, std::string_view other);

}  // namespace espalier
