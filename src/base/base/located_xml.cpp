#include "base/located_xml.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier {

LocatedXml::LocatedXml(std::string_view text, std::string file) : file_(std::move(file)) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_ends_.push_back(static_cast<std::ptrdiff_t>(i));
  }
}

std::string LocatedXml::where_at(std::ptrdiff_t offset) const {
  const auto line = std::lower_bound(line_ends_.begin(), line_ends_.end(), offset);
  return fmt::format("{}:{}", file_, line - line_ends_.begin() + 1);
}

std::string LocatedXml::where(pugi::xml_node element) const {
  return where_at(element.offset_debug());
}

Expected<LocatedXml> LocatedXml::parse(std::string_view text, std::string file) {
  LocatedXml xml(text, std::move(file));
  // The encoding is fixed because offsets, and so lines, are lost when pugixml converts the text.
  const pugi::xml_parse_result result =
      xml.document_.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    return Error{xml.where_at(result.offset),
                 fmt::format("not well-formed XML: {}", result.description()),
                 "look for a missing quote, bracket or end tag here or before"};
  }
  if (!xml.root()) {
    return Error{xml.where_at(0), "the XML has no root element", "is this the right file?"};
  }
  return xml;
}

}  // namespace espalier
