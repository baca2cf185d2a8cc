#include "view/page.hpp"

#include "base/contract.hpp"

namespace espalier::view {

std::string page_with(std::string_view page, std::string_view data) {
  constexpr std::string_view kPlace = "\"@espalier-data@\"";
  const std::size_t place = page.find(kPlace);
  expects(place != std::string_view::npos, "page_with: the page has no place for data");
  std::string text(page.substr(0, place));
  for (const char c : data.empty() ? std::string_view("null") : data) {
    // "</script>" in a name would end the data.
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  text += page.substr(place + kPlace.size());
  return text;
}

}  // namespace espalier::view
