#include "base/utf8.hpp"

namespace espalier {
namespace {

/// Length of the sequence that `lead` begins and the least code point it may stand for; 0 if none.
struct Lead {
  std::size_t length;
  char32_t least;
  char32_t bits;
};

Lead lead_of(unsigned char lead) {
  if (lead < 0x80) return {1, 0, lead};
  if (lead >= 0xc2 && lead < 0xe0) return {2, 0x80, lead & 0x1fU};
  if (lead >= 0xe0 && lead < 0xf0) return {3, 0x800, lead & 0x0fU};
  if (lead >= 0xf0 && lead < 0xf5) return {4, 0x10000, lead & 0x07U};
  return {0, 0, 0};
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Lead lead = lead_of(static_cast<unsigned char>(text[i]));
    if (lead.length == 0 || i + lead.length > text.size()) return false;
    char32_t point = lead.bits;
    for (std::size_t k = 1; k < lead.length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0U) != 0x80U) return false;
      point = (point << 6U) | (next & 0x3fU);
    }
    const bool surrogate = point >= 0xd800 && point < 0xe000;
    if (point < lead.least || point > 0x10ffff || surrogate) return false;
    i += lead.length;
  }
  return true;
}

}  // namespace espalier
