#include "topology/hwloc/cpu_set.hpp"

#include <algorithm>
#include <charconv>

namespace espalier::topology::hwloc {
namespace {

std::optional<std::uint32_t> read_word(std::string_view text) {
  constexpr std::size_t kMaxDigits = 8;
  if (!text.starts_with("0x")) return std::nullopt;
  text.remove_prefix(2);
  std::uint32_t word = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), word, 16);
  const bool whole = code == std::errc() && end == text.data() + text.size();
  return whole && text.size() <= kMaxDigits ? std::optional(word) : std::nullopt;
}

}  // namespace

std::optional<CpuSet> CpuSet::parse(std::string_view text) {
  constexpr std::string_view kAllAbove = "0xf...f";
  CpuSet set;
  if (text == kAllAbove) {
    set.all_above_ = true;
    return set;
  }
  if (text.starts_with(kAllAbove) && text[kAllAbove.size()] == ',') {
    set.all_above_ = true;
    text.remove_prefix(kAllAbove.size() + 1);
  }
  while (true) {
    const std::size_t comma = text.find(',');
    const bool is_inner = comma != std::string_view::npos && !set.words_.empty();
    const std::string_view word = text.substr(0, comma);
    const auto bits = word.empty() && is_inner ? std::optional(0u) : read_word(word);
    if (!bits) return std::nullopt;
    set.words_.push_back(*bits);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::reverse(set.words_.begin(), set.words_.end());
  return set;
}

bool CpuSet::contains(std::uint32_t cpu) const {
  const std::uint32_t word = cpu / 32;
  return word < words_.size() ? ((words_[word] >> (cpu % 32)) & 1) != 0 : all_above_;
}

}  // namespace espalier::topology::hwloc
