#include "shared/mapping.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace espalier::shared {
namespace {

TEST(Mapping, IsSharedWithAProcessThatOpensIt) {
  auto made = Mapping::create(8192);
  ASSERT_TRUE(made) << to_string(made.error());
  made->data()[5000] = std::byte{7};
  const int owner = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    const auto opened = Mapping::open(owner, made->file(), 8192);
    if (!opened || opened->data()[5000] != std::byte{7}) _exit(1);
    opened->data()[1] = std::byte{9};
    _exit(0);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(made->data()[1], std::byte{9});
}

TEST(Mapping, RefusesAnotherFile) {
  auto made = Mapping::create(8192);
  ASSERT_TRUE(made);
  EXPECT_FALSE(Mapping::open(::getpid(), made->file(), 4096));
  EXPECT_FALSE(Mapping::open(::getpid(), 999999, 8192));
  const int file = made->file();
  made->close_file();
  EXPECT_FALSE(Mapping::open(::getpid(), file, 8192));
  made->data()[8191] = std::byte{1};
}

TEST(Mapping, FailsSoftlyWhereFilesMayNotBeSoLong) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &none);
    _exit(Mapping::create(8192) ? 1 : 0);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace espalier::shared
