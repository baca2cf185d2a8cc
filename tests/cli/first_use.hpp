#pragma once

// What tests share of what somebody tries who uses the tool for the first time.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_tool.hpp"

namespace espalier {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

inline const std::string kFirstGrid = "site:2(10ms,1Gbit/s) node:2(50us,10Gbit/s) proc:4(500ns)";

inline std::string first_file(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / ("first_use_" + name);
  std::ofstream(path) << text;
  return path.string();
}

inline Ran succeeded(const Words& words) {
  Ran ran = run_tool(words);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  return ran;
}

inline bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace espalier
