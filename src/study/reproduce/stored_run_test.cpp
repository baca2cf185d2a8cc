#include "reproduce/stored_run.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace espalier::reproduce {
namespace {

const MeasuredRun kThatDay{
    "2026-10-30", "lab", "openmpi", "espalier reproduce karonis --on lab --json", "0.1.0", 2};

Exhibit measured_exhibit() {
  Exhibit exhibit{"figure7", "Figure 7: 24 processes", {}, {"a note"}, "<svg></svg>", {}};
  exhibit.table.columns = {{"size_bytes", ""}, {"", "size"}, {"native_ms", "Open MPI"}};
  const report::Cell wrong{"WRONG", report::Style::Bad};
  exhibit.table.rows = {{std::int64_t{1024}, std::string("1 KiB"), report::Decimal{61.5, 1}},
                        {std::int64_t{4096}, std::string("4 KiB"), wrong}};
  return exhibit;
}

std::string stored() { return to_json("karonis2000", {measured_exhibit()}, kThatDay); }

TEST(StoredRun, KeepsItsDateItsMpiAndItsCommand) {
  const auto parts = stored_parts(stored(), "lab.json");
  ASSERT_TRUE(parts) << to_string(parts.error());
  ASSERT_EQ(parts->size(), 1U);
  const ReportedPart& part = parts->front();
  EXPECT_EQ(part.paper, "karonis");
  EXPECT_EQ(part.key, "figure7");
  EXPECT_EQ(part.date, kThatDay.date);
  EXPECT_EQ(part.mpi, "openmpi");
  EXPECT_EQ(part.command, kThatDay.command);
  EXPECT_EQ(part.version, "0.1.0");
  EXPECT_EQ(part.svg, "<svg></svg>");
  EXPECT_EQ(part.headings, (std::vector<std::string>{"size_bytes", "Open MPI"}));
  EXPECT_EQ(part.rows[0], (std::vector<std::string>{"1024", "61.5"}));
  EXPECT_EQ(part.rows[1], (std::vector<std::string>{"4096", "WRONG"}));
}

TEST(StoredRun, StandsInTheReportWithItsDateAndItsCommand) {
  const auto parts = stored_parts(stored(), "lab.json");
  ASSERT_TRUE(parts) << to_string(parts.error());
  const std::string page = report_html(*parts);
  for (const char* words :
       {"Figure 7: 24 processes, measured with Open MPI", "a stored run of 2026-10-30",
        "espalier reproduce karonis --on lab --json", "1 of them measured with real MPI"}) {
    EXPECT_NE(page.find(words), std::string::npos) << words;
  }
  const auto json = Json::parse(report_json(*parts));
  EXPECT_EQ(json["exhibits"][0]["mpi"], "openmpi");
  EXPECT_EQ(json["exhibits"][0]["date"], "2026-10-30");
}

TEST(StoredRun, RefusesWhatIsNone) {
  EXPECT_FALSE(stored_parts("", "x"));
  EXPECT_FALSE(stored_parts("[]", "x"));
  EXPECT_FALSE(stored_parts(stored().substr(0, 300), "x"));
  EXPECT_FALSE(stored_parts(to_json("nobody1900", {}, kThatDay), "x"));
  const auto computed = stored_parts(to_json("karonis2000", {measured_exhibit()}), "x");
  ASSERT_FALSE(computed);
  EXPECT_NE(computed.error().what.find("computed"), std::string::npos);
}

TEST(StoredRun, RefusesRowsThatDifferAndPicturesThatRunScripts) {
  auto json = Json::parse(stored());
  json["exhibits"][0]["rows"][1]["more"] = 1;
  EXPECT_FALSE(stored_parts(json.dump(), "x"));
  Exhibit exhibit = measured_exhibit();
  exhibit.svg = "<svg><script>alert(1)</script></svg>";
  const auto parts = stored_parts(to_json("karonis2000", {exhibit}, kThatDay), "x");
  ASSERT_FALSE(parts);
  EXPECT_NE(parts.error().what.find("picture"), std::string::npos);
}

}  // namespace
}  // namespace espalier::reproduce
