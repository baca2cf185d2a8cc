#include "lab/ending.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace espalier::lab {
namespace {

TEST(Ending, NamesTheProcessItsSignalAndWhoSentIt) {
  const std::string text = endings_text({{"host site0-node1", 12}, {"the router", 14}},
                                        "12\n13\noom_kill 5\nended 12 15 77\n", 8);
  EXPECT_EQ(text,
            "host site0-node1's process 12 was ended by signal 15 (SIGTERM), sent by process 77; "
            "the router's process 14 ended without a word, as after signal 9 (SIGKILL); since the "
            "lab began the kernel's out-of-memory killer has ended 3 processes of this computer "
            "(oom_kill of /proc/vmstat)");
}

TEST(Ending, SaysThatNoMemoryRanOut) {
  const std::string text = endings_text({{"the router", 14}}, "12\noom_kill 5\n", 5);
  EXPECT_NE(text.find("has ended no processes"), std::string::npos) << text;
}

TEST(Ending, CountsWhatItDoesNotName) {
  const std::vector<Gone> gone(8, Gone{"host a", 0});
  const std::string text = endings_text(gone, "", 0);
  EXPECT_EQ(text, "host a is gone; host a is gone; host a is gone; and 5 more are gone");
}

TEST(Ending, AProcessThatIsAskedToEndLeavesAWord) {
  std::string folder = (std::filesystem::temp_directory_path() / "ending.XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/holders") << "1\n";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    leave_word_of_signals(folder);
    if (::write(ready[1], "+", 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  char sign = 0;
  ASSERT_EQ(::read(ready[0], &sign, 1), 1);
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  std::ifstream in(folder + "/holders");
  const std::string words{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(words,
            "1\nended " + std::to_string(child) + " 15 " + std::to_string(::getpid()) + "\n");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace espalier::lab
