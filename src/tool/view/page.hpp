#pragma once

#include <string>
#include <string_view>

namespace espalier::view {

/// The page: one HTML document with its styles and scripts, built from web/. Empty if this build
/// has none (no Node.js, or packages that npm could not get). Generated: scripts/embed_page.py.
[[nodiscard]] std::string_view page();
/// Why there is none; empty if there is one.
[[nodiscard]] std::string_view why_no_page();

/// The page with the data of a document in it, so that it needs no server.
/// @param data JSON; an empty text leaves the page asking its server
[[nodiscard]] std::string page_with(std::string_view page, std::string_view data);

/// The first bytes of every page: whether a file is one of ours.
inline constexpr std::string_view kPageMark = "<!doctype html><!-- espalier view -->";

}  // namespace espalier::view
