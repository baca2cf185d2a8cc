#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace espalier::topology::hwloc {

/// A set of CPUs as hwloc writes it: words of 32 bits, the highest first, words of 0 may be empty
/// ("0x000000ff", "0x1,,0x0"); "0xf...f" in front stands for all CPUs above.
///
/// Read here because hwloc_bitmap_sscanf (2.9) ends the program on text such as ",0x1".
class CpuSet {
 public:
  /// Reads such a text; nothing if it is malformed.
  [[nodiscard]] static std::optional<CpuSet> parse(std::string_view text);

  [[nodiscard]] bool contains(std::uint32_t cpu) const;

 private:
  std::vector<std::uint32_t> words_;  ///< lowest word first
  bool all_above_ = false;
};

}  // namespace espalier::topology::hwloc
