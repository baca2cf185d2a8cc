#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace espalier::runtime {

/// The head of a message of whole blocks: the length of each block in bytes, as LEB128 (seven bits
/// a byte, the lowest first, the eighth bit set if more follow). Both ends know from the plan how
/// many blocks there are; only the sender knows their lengths. An empty block takes one byte.
inline constexpr std::size_t kMaxEntryBytes = 10;

/// Appends the head to `bytes`.
void append_block_header(std::span<const std::uint64_t> lengths, std::vector<std::byte>& bytes);

struct BlockHeader {
  std::vector<std::uint64_t> lengths;
  std::size_t size = 0;     ///< bytes of the header itself
  std::uint64_t total = 0;  ///< sum of the lengths
};

/// Numbers read from LEB128.
struct Numbers {
  std::vector<std::uint64_t> numbers;
  std::size_t size = 0;  ///< bytes they take
};
/// Absent if `bytes` does not begin with so many numbers.
[[nodiscard]] std::optional<Numbers> read_numbers(std::span<const std::byte> bytes,
                                                  std::size_t count);

/// Absent if `bytes` does not begin with a head of so many blocks, or the sum of lengths overflows.
[[nodiscard]] std::optional<BlockHeader> read_block_header(std::span<const std::byte> bytes,
                                                           std::size_t blocks);

}  // namespace espalier::runtime
