#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"

namespace espalier {

/// XML text whose elements know the line they stand on, so that an error can name it.
class LocatedXml {
 public:
  /// @param file only named in errors
  /// Refuses what is not well-formed XML, or has no root element.
  static Expected<LocatedXml> parse(std::string_view text, std::string file);

  [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }
  /// "file:line" of an element's start tag. @pre the element is of this document
  [[nodiscard]] std::string where(pugi::xml_node element) const;

 private:
  LocatedXml(std::string_view text, std::string file);
  [[nodiscard]] std::string where_at(std::ptrdiff_t offset) const;

  std::string file_;
  std::vector<std::ptrdiff_t> line_ends_;
  pugi::xml_document document_;
};

}  // namespace espalier
