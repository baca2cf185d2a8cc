#pragma once

#include <cstdint>
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"

namespace espalier::topology::simgrid {

/// An XML document that knows on which line each element stands.
class XmlSource {
 public:
  /// @param file only named in errors
  static Expected<XmlSource> parse(std::string_view text, const std::string& file);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] pugi::xml_node root() const { return document_->document_element(); }
  [[nodiscard]] std::uint32_t line(const pugi::xml_node& node) const;
  /// "file:line"
  [[nodiscard]] std::string where(const pugi::xml_node& node) const;
  /// An attribute that must be there and not be empty.
  Expected<std::string> required(const pugi::xml_node& node, const char* attribute) const;
  /// The error of a reader of quantities, at its place: "file:7", "bw of <cluster>: ...".
  [[nodiscard]] Error at(const pugi::xml_node& node, const char* attribute,
                         const Error& error) const;

 private:
  XmlSource() = default;
  [[nodiscard]] std::uint32_t line_at(std::ptrdiff_t offset) const;

  std::string file_;
  std::unique_ptr<pugi::xml_document> document_;
  std::vector<std::ptrdiff_t> line_starts_;
};

}  // namespace espalier::topology::simgrid
