#include "runtime/block_header.hpp"

namespace espalier::runtime {
namespace {

constexpr std::uint64_t kLowBits = 0x7f;
constexpr std::uint64_t kMoreFollow = 0x80;

std::optional<std::uint64_t> read_length(std::span<const std::byte> bytes, std::size_t& at) {
  std::uint64_t length = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at == bytes.size()) return std::nullopt;
    const auto byte = std::to_integer<std::uint64_t>(bytes[at++]);
    const std::uint64_t bits = byte & kLowBits;
    if (shift == 63 && bits > 1) return std::nullopt;  // more than 64 bits
    length |= bits << shift;
    if ((byte & kMoreFollow) == 0) return length;
  }
  return std::nullopt;
}

}  // namespace

void append_block_header(std::span<const std::uint64_t> lengths, std::vector<std::byte>& bytes) {
  for (std::uint64_t length : lengths) {
    for (; length > kLowBits; length >>= 7U) {
      bytes.push_back(static_cast<std::byte>((length & kLowBits) | kMoreFollow));
    }
    bytes.push_back(static_cast<std::byte>(length));
  }
}

std::optional<Numbers> read_numbers(std::span<const std::byte> bytes, std::size_t count) {
  Numbers found;
  if (count > bytes.size()) return std::nullopt;
  found.numbers.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = read_length(bytes, found.size);
    if (!number) return std::nullopt;
    found.numbers.push_back(*number);
  }
  return found;
}

std::optional<BlockHeader> read_block_header(std::span<const std::byte> bytes, std::size_t blocks) {
  auto found = read_numbers(bytes, blocks);
  if (!found) return std::nullopt;
  BlockHeader header{std::move(found->numbers), found->size, 0};
  for (const std::uint64_t length : header.lengths) {
    if (length > ~std::uint64_t{0} - header.total) return std::nullopt;
    header.total += length;
  }
  return header;
}

}  // namespace espalier::runtime
