#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace espalier::runtime {

/// The head of a message of whole blocks: the length of each in bytes, seven bits a byte, the
/// lowest first, with the eighth bit set where more follow (LEB128). How many blocks there are both
/// ends know from the plan, how long they are only the sender. An empty block takes one byte.
inline constexpr std::size_t kMaxEntryBytes = 10;

/// Appends it to `bytes`.
void append_block_header(std::span<const std::uint64_t> lengths, std::vector<std::byte>& bytes);

struct BlockHeader {
  std::vector<std::uint64_t> lengths;
  std::size_t size = 0;     ///< bytes of the header itself
  std::uint64_t total = 0;  ///< sum of the lengths
};

/// Any numbers written so. Nothing if `bytes` does not begin with so many.
struct Numbers {
  std::vector<std::uint64_t> numbers;
  std::size_t size = 0;  ///< bytes they take
};
[[nodiscard]] std::optional<Numbers> read_numbers(std::span<const std::byte> bytes,
                                                  std::size_t count);

/// Nothing if `bytes` does not begin with a header of so many blocks (of which a sum is known).
[[nodiscard]] std::optional<BlockHeader> read_block_header(std::span<const std::byte> bytes,
                                                           std::size_t blocks);

}  // namespace espalier::runtime
