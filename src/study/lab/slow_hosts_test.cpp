#include "lab/slow_hosts.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "topology/load_machine.hpp"

namespace espalier::lab {
namespace {

namespace fs = std::filesystem;

topology::Machine slow_machine(const std::string& text) {
  return topology::load_machine(text).value().machine;
}

/// A folder that goes with the test.
struct Temporary {
  fs::path path = fs::temp_directory_path() / ("espalier-slow-hosts." + std::to_string(::getpid()));
  Temporary() { fs::create_directories(path); }
  ~Temporary() { fs::remove_all(path); }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  void file(const std::string& name, const std::string& text = "") const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    return read_text((path / name).string()).value();
  }
};

TEST(RankCells, SpeedsAreSharesOfTheFastest) {
  const auto cells =
      rank_cells(slow_machine("node:3(1ms,speed=2|1|0.5,send=20us|43us+1Mbit/s|0us)"));
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells[0].cpu_permille, 1000);
  EXPECT_EQ(cells[1].cpu_permille, 500);
  EXPECT_EQ(cells[2].cpu_permille, 250);
  EXPECT_EQ(cells[0].send_ns, 20'000);
  EXPECT_EQ(cells[0].send_bits_per_second, 0);
  EXPECT_EQ(cells[1].send_bits_per_second, 1'000'000);
}

TEST(RankBoard, IsSeenByAllWhoMapItAndRefusesAnotherLabsFile) {
  const Temporary folder;
  const std::string path = (folder.path / "ranks").string();
  auto made = RankBoard::create(path, {{1, 2, 300, 0}, {4, 5, 600, 1}});
  ASSERT_TRUE(made) << made.error();
  auto seen = RankBoard::open(path, 2);
  ASSERT_TRUE(seen) << seen.error();
  EXPECT_EQ(seen->read(1).cpu_permille, 600);
  made->write(1, {7, 8, 900, 1});
  EXPECT_EQ(seen->read(1).send_ns, 7);
  EXPECT_EQ(seen->read(0).send_ns, 1);
  EXPECT_FALSE(RankBoard::open(path, 3));
}

TEST(SlowHosts, AreFoundByHostAndByPart) {
  const topology::Machine machine = slow_machine("site:2(10ms) machine:1|2(1ms) proc:2");
  const LabPlan plan = plan_lab(machine).value();
  using Hosts = std::vector<std::size_t>;
  EXPECT_EQ(hosts_called(machine, plan, "site1-machine0").value(), (Hosts{1}));
  EXPECT_EQ(hosts_called(machine, plan, "site1.machine1").value(), (Hosts{2}));
  EXPECT_EQ(hosts_called(machine, plan, "site1").value(), (Hosts{1, 2}));
  EXPECT_EQ(hosts_called(machine, plan, "machine").value(), (Hosts{0, 1, 2}));
  EXPECT_FALSE(hosts_called(machine, plan, "site"));
}

TEST(SlowHosts, SharesAndCostsAreReadOrRefused) {
  EXPECT_EQ(parse_share("47%").value(), 470);
  EXPECT_EQ(parse_share("0.47").value(), 470);
  EXPECT_EQ(parse_share("1").value(), 1000);
  for (const char* bad : {"", "%", "0", "101%", "1.5", "-3%", "half", "nan", "5 %x"}) {
    EXPECT_FALSE(parse_share(bad)) << bad;
  }
  EXPECT_EQ(parse_cost("20us+1GB/s").value().rate, bits_per_second(8'000'000'000));
  EXPECT_EQ(parse_cost("20us").value().fixed, microseconds(20));
  EXPECT_FALSE(parse_cost("20us+"));
  EXPECT_FALSE(parse_cost("fast"));
}

TEST(CpuGroups, SmallSharesHaveLongerPeriodsAndNotMoreTime) {
  EXPECT_EQ(cap_of(2'000), (CpuCap{20'000, 10'000}));
  EXPECT_EQ(cap_of(100), (CpuCap{1'000, 10'000}));
  EXPECT_EQ(cap_of(50), (CpuCap{1'000, 20'000}));
  EXPECT_EQ(cap_of(1), (CpuCap{1'000, 1'000'000}));
}

/// Files in a folder of our own stand for the kernel's: what is written where. (Groups make their
/// files themselves, so these are there before.)
TEST(CpuGroups, CapsAreWrittenAsVersion2WantsThem) {
  const Temporary folder;
  const StateFolder state{(folder.path / "state").string()};
  fs::create_directories(state.path);
  std::string lab = "espalier-lab" + state.path;
  for (char& c : lab) c = c == '/' ? ':' : c;
  folder.file("mounts/cgroup.controllers", "cpuset cpu io\n");
  for (const std::string& f : {std::string("cgroup.subtree_control"),
                               lab + "/cgroup.subtree_control", lab + "/tried-out/cpu.max"}) {
    folder.file("mounts/" + f);
  }
  // A folder with a file in it cannot be removed as a group can: the trial is refused, and says so.
  EXPECT_FALSE(CpuGroups::make(state, (folder.path / "mounts").string()));
  EXPECT_EQ(folder.read("mounts/" + lab + "/tried-out/cpu.max"), "5000 10000");
  EXPECT_EQ(folder.read("mounts/cgroup.subtree_control"), "+cpu");
}

TEST(CpuGroups, AreRefusedWhereNoControllerIs) {
  const Temporary folder;
  folder.file("mounts/cgroup.controllers", "hugetlb cpuset\n");
  const StateFolder state{folder.path.string()};
  EXPECT_FALSE(CpuGroups::make(state, (folder.path / "mounts").string()));
  EXPECT_FALSE(CpuGroups::of(state));
  EXPECT_FALSE(remove_cpu_groups(state, (folder.path / "mounts").string()));
}

}  // namespace
}  // namespace espalier::lab
