#include "collective/name_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/units.hpp"

namespace espalier::collective {

using schedule::Collective;
using schedule::Operation;

const char* name_of(Shape shape) {
  switch (shape) {
    case Shape::Flat:
      return "flat";
    case Shape::Chain:
      return "chain";
    case Shape::Binary:
      return "binary";
    case Shape::Binomial:
      return "binomial";
    case Shape::Quadnomial:
      return "4-nomial";
    case Shape::Octonomial:
      return "8-nomial";
    case Shape::Postal2:
      return "postal-2";
    case Shape::Postal3:
      return "postal-3";
    case Shape::Postal5:
      return "postal-5";
    case Shape::Postal8:
      return "postal-8";
    case Shape::Postal13:
      return "postal-13";
    case Shape::Postal21:
      return "postal-21";
  }
  return "?";
}

std::string segment_text(std::uint64_t segment, const Collective& call) {
  return to_string(Bytes{segment * call.element.value});
}

std::string with_segment(std::string name, std::uint64_t segment, const Collective& call) {
  return segment == 0 ? name : fmt::format("{} {}", name, segment_text(segment, call));
}

bool NameReader::take(std::string_view word) {
  if (!text_.starts_with(word)) return false;
  text_.remove_prefix(word.size());
  return true;
}

std::optional<std::uint32_t> NameReader::take_number() {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
  return number;
}

std::optional<Shape> NameReader::take_shape() {
  const std::string_view word = text_.substr(0, text_.find_first_of(" /"));
  for (int s = 0; s < kShapeCount; ++s) {
    if (word != name_of(static_cast<Shape>(s))) continue;
    take(word);
    return static_cast<Shape>(s);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> NameReader::take_segment() {
  if (!at(' ')) return 0;
  const std::string_view here = text_.substr(1, std::min(text_.find('/'), text_.size()) - 1);
  const auto bytes = parse_bytes(here);
  if (!bytes || bytes->value == 0) return std::nullopt;
  text_.remove_prefix(1 + here.size());
  const bool is_cut =
      call_.operation == Operation::Broadcast || call_.operation == Operation::Reduce ||
      call_.operation == Operation::Allreduce || call_.operation == Operation::ReduceScatter;
  const std::uint64_t units =
      std::max<std::uint64_t>(1, bytes->value / std::max<std::uint64_t>(1, call_.element.value));
  return is_cut && units < call_.count ? units : 0;
}

}  // namespace espalier::collective
