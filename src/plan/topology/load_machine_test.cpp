#include "topology/load_machine.hpp"

#include <gtest/gtest.h>

namespace espalier::topology {
namespace {

TEST(LoadMachine, TakesASyntheticLineOrASeed) {
  EXPECT_EQ(load_machine("site:2 proc:4")->machine.size(), 8u);
  EXPECT_EQ(load_machine("random:7:48")->machine.size(), 48u);
  EXPECT_TRUE(load_machine("random:7:48")->machine == load_machine("random:7:48")->machine);
}

TEST(LoadMachine, TellsFormatsApartByContent) {
  EXPECT_TRUE(parse_machine("  {\"format\": \"espalier-machine-1\", \"processes\": 2}", "x"));
  EXPECT_TRUE(parse_machine("node:2 proc:2\n", "x"));
}

TEST(LoadMachine, RefusesWhatIsNeither) {
  for (const char* argument : {"", "/no/such/file.json", "/dev/zero", "/", "random:", "random:x",
                               "random:1:0", "random:1:2:3", "random:1:99999999999"}) {
    const auto machine = load_machine(argument);
    ASSERT_FALSE(machine) << argument;
    EXPECT_FALSE(machine.error().hint.empty()) << argument;
  }
  EXPECT_EQ(load_machine("site:").error().what, "level \"site\" has no count");
  EXPECT_EQ(load_machine("nofile.json").error().what, "there is no such file");
  EXPECT_EQ(load_machine("/").error().what, "it is a folder");
  EXPECT_EQ(parse_machine("[]", "x").error().where, "x:1");
  EXPECT_TRUE(parse_machine("n1 slots=8\nn2 slots=8\n", "hosts")
                  .error()
                  .hint.ends_with("a hostfile is an inventory: espalier place --inventory hosts"));
  EXPECT_FALSE(parse_machine("", "x"));
  EXPECT_FALSE(parse_machine("hello", "x"));
}

}  // namespace
}  // namespace espalier::topology
