#include "topology/simgrid/xml_source.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::topology::simgrid {

Expected<XmlSource> XmlSource::parse(std::string_view text, const std::string& file) {
  XmlSource source;
  source.file_ = file;
  source.line_starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') source.line_starts_.push_back(static_cast<std::ptrdiff_t>(i) + 1);
  }
  source.document_ = std::make_unique<pugi::xml_document>();
  // Offsets are those of the text as it stands only without a change of encoding.
  const pugi::xml_parse_result result = source.document_->load_buffer(
      text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    return Error{fmt::format("{}:{}", file, source.line_at(result.offset)),
                 fmt::format("not XML: {}", result.description()),
                 "is an element or a quote left open here?"};
  }
  if (!source.root()) return Error{file, "the file holds no element", "expected <platform>"};
  return source;
}

std::uint32_t XmlSource::line_at(std::ptrdiff_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::uint32_t>(after - line_starts_.begin());
}

std::uint32_t XmlSource::line(const pugi::xml_node& node) const {
  return line_at(node.offset_debug());
}

std::string XmlSource::where(const pugi::xml_node& node) const {
  return fmt::format("{}:{}", file_, line(node));
}

Expected<std::string> XmlSource::required(const pugi::xml_node& node, const char* attribute) const {
  const std::string_view value = node.attribute(attribute).value();
  if (!value.empty()) return std::string(value);
  return Error{where(node), fmt::format("<{}> has no \"{}\"", node.name(), attribute),
               fmt::format("write <{} {}=\"...\"", node.name(), attribute)};
}

Error XmlSource::at(const pugi::xml_node& node, const char* attribute, const Error& error) const {
  return {where(node), fmt::format("{} of <{}>: {}", attribute, node.name(), error.what),
          error.hint};
}

}  // namespace espalier::topology::simgrid
