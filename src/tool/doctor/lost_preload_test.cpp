#include "doctor/lost_preload.hpp"

#include <gtest/gtest.h>

namespace espalier::doctor {
namespace {

std::string words_in(const char* script) {
  const auto lost = lost_preload(script);
  return lost ? std::to_string(lost->line) + ": " + lost->words : "";
}

TEST(LostPreload, IsFoundWithItsLine) {
  EXPECT_EQ(words_in("#!/bin/sh\nunset LD_PRELOAD; exec mpiexec -n 2 ./a\n"),
            "2: unset LD_PRELOAD");
  EXPECT_EQ(words_in("#!/bin/sh\n\nunset A LD_PRELOAD\n"), "3: unset A LD_PRELOAD");
  EXPECT_EQ(words_in("export LD_PRELOAD=\nmpiexec ./a"), "1: LD_PRELOAD=");
  EXPECT_EQ(words_in("LD_PRELOAD=/usr/lib/libfoo.so mpiexec ./a"),
            "1: LD_PRELOAD=/usr/lib/libfoo.so");
  EXPECT_EQ(words_in("mpiexec -n 2 env -u LD_PRELOAD ./a"), "1: -u LD_PRELOAD");
  EXPECT_EQ(words_in("/usr/bin/env -i ./a"), "1: -i");
  EXPECT_EQ(words_in("srun --export=NONE -n 4 ./a"), "1: --export=NONE");
}

TEST(LostPreload, IsNotSeenWhereNothingIsLost) {
  EXPECT_EQ(words_in(""), "");
  EXPECT_EQ(words_in("#!/usr/bin/env bash\n# unset LD_PRELOAD\n#SBATCH --export=NONE\nmpiexec ./a"),
            "");
  EXPECT_EQ(words_in("export LD_PRELOAD=/usr/lib/libfoo.so:$LD_PRELOAD"), "");
  EXPECT_EQ(words_in("LD_PRELOAD=/opt/lib/libespalier.so mpiexec ./a"), "");
  EXPECT_EQ(words_in("unset OTHER\ngrep -i x y\nenv A=1 ./a"), "");
}

}  // namespace
}  // namespace espalier::doctor
