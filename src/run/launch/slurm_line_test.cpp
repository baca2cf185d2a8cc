#include <gtest/gtest.h>

#include <algorithm>

#include "launch/ask.hpp"
#include "launch/slurm.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::launch {
namespace {

using Words = std::vector<std::string>;

CommandLine taken(const Words& words, Launcher kind) {
  auto line = take_apart(words, kind, [](const std::string& word) { return word == "./a"; });
  EXPECT_TRUE(line) << line.error();
  return *line;
}

Words exported(const Words& words, Launcher kind, const Variables& variables,
               const SlurmSurroundings& around) {
  auto line = with_export(taken(words, kind), "/l.so", variables, around);
  EXPECT_TRUE(line) << line.error();
  return *line;
}

TEST(SlurmLine, FindsTheProgramBehindOptions) {
  for (const Words& words :
       {Words{"srun", "-n", "4", "--mpi=pmix", "./a"}, Words{"srun", "-n4", "-N", "1", "./a"},
        Words{"srun", "--ntasks", "4", "-l", "--exclusive", "./a"}, Words{"srun", "./a", "-n", "4"},
        Words{"salloc", "-n", "4", "srun", "-W", "0", "./a"}}) {
    const CommandLine line = taken(words, Launcher::Srun);
    EXPECT_EQ(line.words[line.parts[0].program], "./a") << to_text(words);
  }
  EXPECT_EQ(taken({"srun", "--chdir=/tmp", "./a"}, Launcher::Srun).parts[0].directory, "/tmp");
  EXPECT_EQ(taken({"srun", "-D", "/tmp", "./a"}, Launcher::Srun).parts[0].directory, "/tmp");
  const CommandLine batch = taken({"sbatch", "-W", "job.sh", "x"}, Launcher::Sbatch);
  EXPECT_EQ(batch.command_of(0), (Words{"job.sh", "x"}));
  EXPECT_TRUE(taken({"sbatch", "--wrap", "srun ./a"}, Launcher::Sbatch).command_of(0).empty());
}

TEST(SlurmLine, ExportsTheLibraryWhateverElseIsExported) {
  const Variables e{{"E", "a,b"}};
  EXPECT_EQ(exported({"srun", "./a"}, Launcher::Srun, e, {}),
            (Words{"srun", "--export=ALL,LD_PRELOAD=/l.so", "./a"}));
  EXPECT_EQ(exported({"srun", "--export=ALL,A=b", "./a"}, Launcher::Srun, e, {}),
            (Words{"srun", "--export=ALL,A=b,LD_PRELOAD=/l.so", "./a"}));
  EXPECT_EQ(exported({"srun", "--export", "A", "-n", "2", "./a"}, Launcher::Srun, e, {}),
            (Words{"srun", "--export=A,LD_PRELOAD=/l.so,E", "-n", "2", "./a"}));
  EXPECT_EQ(exported({"srun", "--export=NONE", "./a"}, Launcher::Srun, e, {}),
            (Words{"srun", "--export=LD_PRELOAD=/l.so,E", "./a"}));
  EXPECT_EQ(exported({"srun", "./a"}, Launcher::Srun, {}, {"NONE", "/x.so", ""}),
            (Words{"srun", "--export=LD_PRELOAD=/l.so:/x.so", "./a"}));
  EXPECT_EQ(exported({"srun", "--export=ALL,LD_PRELOAD=/z.so", "./a"}, Launcher::Srun, {}, {}),
            (Words{"srun", "--export=ALL,LD_PRELOAD=/l.so:/z.so", "./a"}));
  EXPECT_EQ(exported({"srun", "--export=LD_PRELOAD=/z.so,A", "./a"}, Launcher::Srun, {}, {}),
            (Words{"srun", "--export=A,LD_PRELOAD=/l.so:/z.so", "./a"}));
  EXPECT_EQ(exported({"srun", "--export=LD_PRELOAD=/z.so", "./a"}, Launcher::Srun, e, {}),
            (Words{"srun", "--export=LD_PRELOAD=/l.so:/z.so,E", "./a"}));
  EXPECT_EQ(exported({"srun", "./a", ":", "--export=A", "./a"}, Launcher::Srun, {}, {}),
            (Words{"srun", "--export=ALL,LD_PRELOAD=/l.so", "./a", ":",
                   "--export=A,LD_PRELOAD=/l.so", "./a"}));
}

TEST(SlurmLine, KeepsWhatABatchScriptSaysItself) {
  EXPECT_EQ(exported({"sbatch", "j"}, Launcher::Sbatch, {}, {"", "", "#SBATCH --export=NONE\n"}),
            (Words{"sbatch", "--get-user-env", "--export=LD_PRELOAD=/l.so", "j"}));
  // The environment comes before the script, and the command line before both.
  EXPECT_EQ(exported({"sbatch", "j"}, Launcher::Sbatch, {}, {"A", "", "#SBATCH --export=NONE\n"}),
            (Words{"sbatch", "--export=A,LD_PRELOAD=/l.so", "j"}));
  EXPECT_EQ(option_in_script("#SBATCH -n 4 --mpi pmix\n# --mpi=none\n", "mpi"), "pmix");
  EXPECT_EQ(option_in_script("srun --mpi=pmix\n", "mpi"), std::nullopt);
}

TEST(SlurmLine, RefusesALibraryThatExportWouldCut) {
  EXPECT_FALSE(with_export(taken({"srun", "./a"}, Launcher::Srun), "/a,b.so", {}, {}));
  EXPECT_THROW((void)with_preload(taken({"srun", "./a"}, Launcher::Srun), "/l.so", "", {}),
               ContractViolation);
}

TEST(SlurmOptions, AreKnownWithTheirValues) {
  for (const char* option : {"--container", "--tres-per-task", "--treewidth", "--acctg-freq", "-W",
                             "--wait", "--segment", "-n"}) {
    EXPECT_EQ(values_of(Launcher::Srun, option), 1u) << option;
  }
  for (const char* option : {"--resv-ports", "--nice", "--external-launcher", "--x11", "-l"}) {
    EXPECT_EQ(values_of(Launcher::Srun, option), 0u) << option;
  }
  EXPECT_EQ(values_of(Launcher::Sbatch, "--wait"), 0u);
  EXPECT_EQ(values_of(Launcher::Sbatch, "-W"), 0u);
}

// Whatever options stand before the program, exactly one --export reaches each part, and all else
// stays as it was.
TEST(SlurmLineProperty, ChangesNothingButTheExport) {
  const Words pool{"-n4", "-l", "--mpi=pmix", "--exclusive", "--label", "-v", "--time=1"};
  for_all_seeds(200, [&](auto& rng) {
    Words words{"srun"};
    const std::size_t parts = 1 + rng.below(3);
    for (std::size_t p = 0; p < parts; ++p) {
      if (p > 0) words.emplace_back(":");
      for (std::size_t n = rng.below(4); n > 0; --n) words.push_back(pool[rng.below(pool.size())]);
      words.emplace_back("./a");
    }
    Words got = exported(words, Launcher::Srun, {}, {});
    const auto is_export = [](const std::string& w) { return w.starts_with("--export="); };
    ASSERT_EQ(static_cast<std::size_t>(std::count_if(got.begin(), got.end(), is_export)), parts);
    got.erase(std::remove_if(got.begin(), got.end(), is_export), got.end());
    ASSERT_EQ(got, words);
  });
}

}  // namespace
}  // namespace espalier::launch
