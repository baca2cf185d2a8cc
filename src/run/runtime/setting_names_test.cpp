#include "runtime/setting_names.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "runtime/settings.hpp"

namespace espalier::runtime {
namespace {

TEST(SettingNames, AreThoseOfTheManual) {
  std::ifstream manual(ESPALIER_SOURCE_DIR "/docs/reference/variables.md");
  std::set<std::string> told;
  for (std::string line; std::getline(manual, line);) {
    if (line.starts_with("| `ESPALIER_")) told.insert(line.substr(3, line.find('`', 3) - 3));
  }
  const auto names = setting_names();
  EXPECT_EQ(told, std::set<std::string>(names.begin(), names.end()));
}

TEST(SettingNames, HaveAllThatIsRead) {
  std::set<std::string> asked;
  (void)read_settings([&](const std::string& name) -> std::optional<std::string> {
    asked.insert(name);
    return std::nullopt;
  });
  const auto names = setting_names();
  const std::set<std::string> known(names.begin(), names.end());
  for (const std::string& name : asked) EXPECT_TRUE(known.contains(name)) << name;
}

}  // namespace
}  // namespace espalier::runtime
