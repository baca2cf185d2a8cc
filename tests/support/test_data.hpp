#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace espalier {

/// The text of tests/data/NAME. Fails the test if there is no such file.
inline std::string test_data(const std::string& name) {
  std::ifstream in(std::string(ESPALIER_SOURCE_DIR) + "/tests/data/" + name, std::ios::binary);
  EXPECT_TRUE(in.good()) << "tests/data/" << name << " cannot be read";
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace espalier
