#include "launch/loader.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "launch/ask.hpp"
#include "launch/inside.hpp"
#include "launch/program.hpp"
#include "launch/python.hpp"

namespace espalier::launch {
namespace {

namespace fs = std::filesystem;

/// A folder of files that would leave a trace if they were run.
class LookedAt : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "espalier_looked_at_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = fs::canonical(name);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }
  /// Tells a version when it is run, and that it was.
  void put_trap(const std::string& name) const {
    fs::create_directories(fs::path(at(name)).parent_path());
    std::ofstream(at(name)) << "#!/bin/sh\ntouch " << at("was-run")
                            << "\necho 'mpiexec (Open MPI) 4.1.4'\n";
    fs::permissions(at(name), fs::perms::owner_all);
  }
  void put_script(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << text;
    fs::permissions(at(name), fs::perms::owner_all);
  }
  [[nodiscard]] bool was_run() const { return fs::exists(at("was-run")); }

  fs::path folder_;
};

/// A copy of a program that names another loader.
void copy_with_loader(const std::string& from, const std::string& to, const std::string& loader) {
  std::ifstream in(from, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const auto elf = read_elf(from);
  ASSERT_TRUE(elf && *elf);
  const std::size_t at = bytes.find((*elf)->interpreter);
  ASSERT_NE(at, std::string::npos);
  ASSERT_LE(loader.size(), (*elf)->interpreter.size());
  std::memset(bytes.data() + at, 0, (*elf)->interpreter.size());
  std::memcpy(bytes.data() + at, loader.data(), loader.size());
  std::ofstream(to, std::ios::binary) << bytes;
  fs::permissions(to, fs::perms::owner_all);
}

TEST_F(LookedAt, ProgramsDoNotHaveTheirOwnLoaderRun) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  put_trap("ld-linux");
  copy_with_loader("/proc/self/exe", at("program"), "./ld-linux");
  const auto program = look_at_program(at("program"));
  fs::current_path(before);
  ASSERT_TRUE(program) << program.error();
  EXPECT_FALSE(was_run());
  const auto finds = [&](const std::string& begin) {
    return std::any_of(
        program->libraries.begin(), program->libraries.end(),
        [&](const Library& one) { return one.name.starts_with(begin) && !one.file.empty(); });
  };
  EXPECT_TRUE(finds("libc.so"));
  EXPECT_TRUE(finds("libstdc++.so"));
}

TEST_F(LookedAt, LibrariesAreThoseThatTheLoaderFinds) {
  const auto own = look_at_program(fs::read_symlink("/proc/self/exe").string());
  ASSERT_TRUE(own) << own.error();
  for (const Library& one : own->libraries) EXPECT_NE(one.file, "") << one.name;
  const std::string loaded =
      output_of({own->elf->interpreter, own->file}, {"LD_TRACE_LOADED_OBJECTS=1"});
  for (const Library& one : own->libraries) {
    EXPECT_NE(loaded.find(one.name), std::string::npos) << one.name;
  }
}

TEST_F(LookedAt, LaunchersOfScriptsAreNotRun) {
  put_trap("mpiexec");
  put_script("job.sh", "#!/bin/sh\n./mpiexec -n 2 ./a\n" + at("mpiexec") + " ./b\n");
  EXPECT_TRUE(mpi_of_command({at("job.sh")}, {folder_.string(), "/usr/bin:/bin"}));
  EXPECT_FALSE(was_run());
  // A launcher of PATH is the user's own choice.
  put_script("by-name.sh", "#!/bin/sh\nmpiexec -n 2 ./a\n");
  const auto named = mpi_of_command({at("by-name.sh")}, {".", folder_.string() + ":/bin"});
  EXPECT_TRUE(was_run());
  ASSERT_TRUE(named && *named);
  EXPECT_EQ((*named)->mpi, Mpi::OpenMpi);
}

TEST_F(LookedAt, PythonsOfScriptsAreNotRun) {
  put_trap("bin/python3");
  put_script("job.py", "#!" + at("bin/python3") + "\nimport mpi4py\n");
  put_script("job.sh", "#!/bin/sh\nbin/python3 job.py\n");
  EXPECT_TRUE(mpi_of_command({at("job.py")}, {folder_.string(), "/usr/bin:/bin"}));
  EXPECT_TRUE(mpi_of_command({at("job.sh")}, {folder_.string(), "/usr/bin:/bin"}));
  EXPECT_FALSE(was_run());
  const std::string module = at("lib/python3.11/site-packages/mpi4py/MPI.x.so");
  fs::create_directories(fs::path(module).parent_path());
  std::ofstream(module) << "";
  EXPECT_EQ(mpi4py_of(at("bin/python3"), "/usr/bin:/bin"), module);
  EXPECT_FALSE(was_run());
}

TEST_F(LookedAt, PythonDoesNotImportFromTheFolderWeAreIn) {
  if (find_program("python3", ".", "/usr/bin:/bin").empty()) GTEST_SKIP() << "no Python here";
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  fs::create_directories("importlib");
  std::ofstream("importlib/__init__.py") << "open('was-run', 'w')\n";
  std::ofstream("importlib/util.py") << "open('was-run', 'w')\n";
  (void)mpi4py_of("/usr/bin/python3", "/usr/bin:/bin");
  fs::current_path(before);
  EXPECT_FALSE(was_run());
}

TEST_F(LookedAt, FifosHoldUpNobody) {
  ASSERT_EQ(mkfifo(at("fifo").c_str(), 0755), 0);
  EXPECT_FALSE(read_elf(at("fifo")));
  EXPECT_EQ(text_of(at("fifo")), "");
  EXPECT_EQ(version_text_of(at("fifo")), "");
}

TEST(FilesInCache, AreThoseOfTheName) {
  const auto put = [](std::string& to, auto value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  std::string cache = "glibc-ld.so.cache1.1";
  put(cache, std::uint32_t{2});
  cache.append(24, '\0');
  const std::uint32_t texts = 48 + 2 * 24;
  for (const std::uint32_t file : {texts + 8, texts + 20}) {
    put(cache, std::int32_t{0});
    put(cache, texts);
    put(cache, file);
    put(cache, std::uint32_t{0});
    put(cache, std::uint64_t{file == texts + 8 ? 1U : 0U});
  }
  cache += std::string("liba.so\0/fast/a.so\0\0/a.so\0", 26);
  EXPECT_EQ(files_in_cache(cache, "liba.so"), (std::vector<std::string>{"/a.so", "/fast/a.so"}));
  EXPECT_TRUE(files_in_cache(cache, "libb.so").empty());
  for (std::size_t length = 0; length < cache.size(); ++length) {
    (void)files_in_cache(cache.substr(0, length), "liba.so");  // never beyond its end
  }
  EXPECT_TRUE(files_in_cache("", "liba.so").empty());
}

TEST(MpichVersionIn, StandsBesideTheDateOfTheRelease) {
  const std::string date = "Wed Apr 17 15:30:02 CDT 2024";
  const std::string gap(3, '\0');
  EXPECT_EQ(mpich_version_in("16:1:4" + gap + date + gap + "4.2.1" + gap + "gfortran -O2"),
            "4.2.1");
  EXPECT_EQ(mpich_version_in("0.13.99" + gap + "4.3.0b1" + gap + date + gap), "4.3.0b1");
  EXPECT_EQ(mpich_version_in("1.2" + gap + "text" + gap + date + gap + "gcc"), "");
  EXPECT_EQ(mpich_version_in(""), "");
}

}  // namespace
}  // namespace espalier::launch
