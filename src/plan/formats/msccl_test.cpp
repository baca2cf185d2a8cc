#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "formats/load_schedule.hpp"
#include "support/schedules/all.hpp"
#include "support/test_data.hpp"
#include "verify/verify.hpp"

namespace espalier::formats {
namespace {

using schedule::Operation;
using schedule::Schedule;

verify::Verdict verdict_on(const std::string& text) {
  const auto read = read_msccl(text, "f.xml");
  EXPECT_TRUE(read) << read.error();
  return read ? verify::verify(read->schedule) : verify::Verdict{};
}

/// The text with its n-th `what` replaced.
std::string with(std::string text, const std::string& what, const std::string& by, int n = 1) {
  std::size_t at = std::string::npos;
  for (int i = 0; i < n; ++i) at = text.find(what, at + 1);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(Msccl, VerifiesAllpairsRingAndDirectWrittenByHand) {
  const verify::Verdict ring = verdict_on(test_data("msccl/ring_allreduce.xml"));
  EXPECT_TRUE(ring.ok()) << ring;
  EXPECT_EQ(ring.statistics.messages, 4U * 6);
  const verify::Verdict allpairs = verdict_on(test_data("msccl/allpairs_allreduce.xml"));
  EXPECT_TRUE(allpairs.ok()) << allpairs;
  EXPECT_EQ(allpairs.statistics.messages, 4U * 6);
  const verify::Verdict direct = verdict_on(test_data("msccl/direct_alltoall.xml"));
  EXPECT_TRUE(direct.ok()) << direct;
  EXPECT_EQ(direct.statistics.messages, 3U * 4);
}

TEST(Msccl, RefusesWhatIsWrongInAWellFormedFile) {
  const std::string ring = test_data("msccl/ring_allreduce.xml");
  const std::string pairs = test_data("msccl/allpairs_allreduce.xml");
  // Another chunk on its way.
  EXPECT_FALSE(verdict_on(with(ring, R"(type="s" srcbuf="i" srcoff="1")",
                               R"(type="s" srcbuf="i" srcoff="2")"))
                   .ok());
  // The sum is sent on, but not kept.
  EXPECT_FALSE(verdict_on(with(ring, "rrcs", "rrs")).ok());
  // A receive too few.
  const verify::Verdict alone = verdict_on(with(ring, R"(type="r")", R"(type="nop")"));
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.findings[0].kind, verify::FindingKind::NoPartner) << alone;
  // Nobody waits for the pieces of the last thread block any more.
  EXPECT_FALSE(verdict_on(with(pairs, R"(depid="3" deps="1")", R"(depid="-1" deps="-1")")).ok());
}

TEST(Msccl, KnowsTheLengthOfAChunkWhereAFileIsForOneSize) {
  const std::string text =
      with(with(test_data("msccl/ring_allreduce.xml"), R"(minBytes="0")", R"(minBytes="4096")"),
           R"(maxBytes="0")", R"(maxBytes="4096")");
  const auto read = read_msccl(text, "f.xml");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->schedule.call.element, Bytes{1024});
  EXPECT_EQ(read->schedule.call.count, 4U);
}

/// Two GPUs with one thread block each; a step is "type src offset dst offset".
std::string two_gpus(const std::string& algo, const std::string& gpu,
                     const std::vector<std::string>& first,
                     const std::vector<std::string>& second) {
  std::string text = "<algo name=\"t\" nchannels=\"1\" ngpus=\"2\" " + algo + ">";
  for (int id = 0; id < 2; ++id) {
    const std::string n = std::to_string(id);
    const std::string other = std::to_string(1 - id);
    text += fmt::format(R"(<gpu id="{}" {}><tb id="0" send="{}" recv="{}" chan="0">)", n, gpu,
                        other, other);
    int s = 0;
    for (const std::string& step : id == 0 ? first : second) {
      std::istringstream words(step);
      std::string type, src, src_at, dst, dst_at;
      words >> type >> src >> src_at >> dst >> dst_at;
      text +=
          fmt::format(R"(<step s="{}" type="{}" srcbuf="{}" srcoff="{}" dstbuf="{}" dstoff="{}")",
                      s++, type, src, src_at, dst, dst_at);
      text += R"( cnt="1" depid="-1" deps="-1" hasdep="0"/>)";
    }
    text += "</tb></gpu>";
  }
  return text + "</algo>";
}

TEST(Msccl, KnowsWhereEachCollectiveIsInPlace) {
  const std::string in_place = " inplace=\"1\" outofplace=\"0\"";
  // Each sends its block; its own is at its place already.
  const auto allgather = two_gpus("coll=\"allgather\" nchunksperloop=\"2\"" + in_place,
                                  "i_chunks=\"1\" o_chunks=\"2\" s_chunks=\"0\"",
                                  {"s o 0 o 0", "r o 1 o 1"}, {"s i 0 o 1", "r o 0 o 0"});
  EXPECT_TRUE(verdict_on(allgather).ok()) << verdict_on(allgather);
  // The result of GPU r is chunk r of its input.
  const auto reduce_scatter = two_gpus("coll=\"reduce_scatter\" nchunksperloop=\"2\"" + in_place,
                                       "i_chunks=\"2\" o_chunks=\"1\" s_chunks=\"0\"",
                                       {"s i 1 i 1", "rrc i 0 i 0"}, {"s i 0 i 0", "rrc i 1 o 0"});
  EXPECT_TRUE(verdict_on(reduce_scatter).ok()) << verdict_on(reduce_scatter);
  const auto reduce =
      two_gpus("coll=\"reduce\" root=\"1\" nchunksperloop=\"1\"" + in_place,
               "i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\"", {"s i 0 i 0"}, {"rrc i 0 o 0"});
  EXPECT_TRUE(verdict_on(reduce).ok()) << verdict_on(reduce);
  const auto gather =
      two_gpus("coll=\"gather\" nchunksperloop=\"1\"" + in_place,
               "i_chunks=\"1\" o_chunks=\"2\" s_chunks=\"0\"", {"r o 1 o 1"}, {"s i 0 o 1"});
  EXPECT_TRUE(verdict_on(gather).ok()) << verdict_on(gather);
  const auto scatter =
      two_gpus("coll=\"scatter\" nchunksperloop=\"1\"" + in_place,
               "i_chunks=\"2\" o_chunks=\"1\" s_chunks=\"0\"", {"s i 1 o 0"}, {"r i 1 o 0"});
  EXPECT_TRUE(verdict_on(scatter).ok()) << verdict_on(scatter);
  // Through a scratch chunk, since all of the buffer is both read and written.
  const auto alltoall =
      two_gpus("coll=\"alltoall\" nchunksperloop=\"2\"" + in_place,
               "i_chunks=\"2\" o_chunks=\"2\" s_chunks=\"1\"", {"s i 1 s 0", "r s 0 o 1"},
               {"s i 0 s 0", "r s 0 s 0", "cpy s 0 o 0"});
  EXPECT_TRUE(verdict_on(alltoall).ok()) << verdict_on(alltoall);
}

TEST(Msccl, TellsTheRootsInputOfABroadcastFromNothing) {
  const auto broadcast = [](const std::string& root) {
    return two_gpus("coll=\"broadcast\" nchunksperloop=\"1\" inplace=\"0\" root=\"" + root + "\"",
                    "i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\"", {"r i 0 o 0"},
                    {"s i 0 o 0", "cpy i 0 o 0"});
  };
  EXPECT_TRUE(verdict_on(broadcast("1")).ok()) << verdict_on(broadcast("1"));
  EXPECT_FALSE(verdict_on(broadcast("0")).ok());
}

TEST(Msccl, OutOfPlaceTheInputIsNotWritten) {
  const std::string ring = test_data("msccl/ring_allreduce.xml");
  const verify::Verdict verdict = verdict_on(
      with(with(ring, "outofplace=\"0\"", "outofplace=\"1\""), "inplace=\"1\"", "inplace=\"0\""));
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.findings[0].kind, verify::FindingKind::WritesInput) << verdict;
}

void expect_msccl_refused(const std::string& text, const std::string& where,
                          const std::string& what) {
  const auto read = read_msccl(text, "f.xml");
  ASSERT_FALSE(read) << what;
  EXPECT_EQ(read.error().where, where) << read.error();
  EXPECT_NE(read.error().what.find(what), std::string::npos) << read.error();
  EXPECT_FALSE(read.error().hint.empty());
}

TEST(Msccl, RefusesFilesThatCannotBe) {
  const std::string ring = test_data("msccl/ring_allreduce.xml");
  expect_msccl_refused("<platform/>", "f.xml:1", "the root element is <platform>");
  expect_msccl_refused("<algo", "f.xml:1", "not well-formed XML");
  expect_msccl_refused(with(ring, "name=\"ring\"", "name=\"\xff\""), "f.xml:3", "not UTF-8");
  expect_msccl_refused(with(ring, "allreduce\"", "custom\""), "f.xml:3", "coll is \"custom\"");
  expect_msccl_refused(with(ring, "ngpus=\"4\"", "ngpus=\"5\""), "f.xml:3",
                       "5 GPUs, but none with id 4");
  expect_msccl_refused(with(ring, "ngpus=\"4\"", "ngpus=\"4000000000\""), "f.xml:3", "ngpus is");
  expect_msccl_refused(with(ring, "i_chunks=\"4\"", "i_chunks=\"5\""), "f.xml:4", "i_chunks is 5");
  expect_msccl_refused(with(ring, "gpu id=\"1\"", "gpu id=\"0\""), "f.xml:15",
                       "GPU 0 stands twice");
  expect_msccl_refused(with(ring, "send=\"1\"", "send=\"0\""), "f.xml:5", "its own peer");
  expect_msccl_refused(with(ring, "send=\"1\"", "send=\"-1\""), "f.xml:6", "without such a peer");
  expect_msccl_refused(with(ring, "chan=\"0\"", "chan=\"1\""), "f.xml:5", "chan is \"1\"");
  expect_msccl_refused(with(ring, "type=\"s\"", "type=\"x\""), "f.xml:6",
                       "the type of a step is \"x\"");
  expect_msccl_refused(with(ring, "srcoff=\"0\"", "srcoff=\"4\""), "f.xml:6", "chunks 4 to 5 of i");
  expect_msccl_refused(with(ring, "cnt=\"1\"", "cnt=\"2147483648\""), "f.xml:6", "cnt is");
  expect_msccl_refused(with(ring, " s=\"1\"", " s=\"7\""), "f.xml:7", "step 7 at place 1");
  expect_msccl_refused(with(ring, "depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"9\""), "f.xml:6",
                       "waits for step 9 of thread block 0");
  expect_msccl_refused(with(ring, "depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"1\""), "f.xml:6",
                       "does not announce its end");
  expect_msccl_refused(with(with(ring, "depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"0\""),
                            "hasdep=\"0\"", "hasdep=\"1\""),
                       "f.xml:4", "in a circle");
}

std::string why_not(const Schedule& schedule) {
  const auto written = write_msccl(schedule);
  return written ? "" : written.error().what;
}

TEST(Msccl, SaysWhyItCannotWriteASchedule) {
  using namespace test_schedules;
  const auto call = [](Operation operation) { return call_of(operation, 4, 0, 8); };
  EXPECT_EQ(why_not(barrier_tree(call(Operation::Barrier))), "MSCCL has no barrier");
  EXPECT_EQ(why_not(scan_chain(call(Operation::Scan))), "MSCCL has no scan");
  EXPECT_NE(why_not(allgather_ring(irregular(call(Operation::Allgather)))).find("v form"),
            std::string::npos);
  EXPECT_NE(why_not(reduce_flat(call_of(Operation::Reduce, 4, 0, 8, false))).find("commute"),
            std::string::npos);
  EXPECT_NE(why_not(allgather_ring(call_of(Operation::Allgather, 4, 0, 0))).find("empty"),
            std::string::npos);
  Schedule broken = allgather_ring(call(Operation::Allgather));
  broken.programs[2].ops.pop_back();
  EXPECT_NE(why_not(broken).find("no-partner"), std::string::npos) << why_not(broken);
  broken.programs.pop_back();
  EXPECT_NE(why_not(broken).find("malformed"), std::string::npos) << why_not(broken);
}

/// In chunks, with as many bytes, and right.
TEST(Msccl, GivesBackHandWrittenSchedules) {
  int written = 0;
  for (const auto& make : test_schedules::all_makers()) {
    for (const Rank p : {1, 2, 5, 8}) {
      const Schedule schedule = make(p, p / 3, 12);
      const auto text = write_msccl(schedule);
      if (!text) continue;
      ++written;
      SCOPED_TRACE(test_schedules::title(schedule));
      const auto again = read_msccl(text->text, "f.xml");
      ASSERT_TRUE(again) << again.error() << text->text;
      const verify::Verdict before = verify::verify(schedule);
      const verify::Verdict after = verify::verify(again->schedule);
      ASSERT_TRUE(after.ok()) << after << text->text;
      EXPECT_EQ(after.statistics.bytes, before.statistics.bytes);
      if (schedule.call.operation == Operation::Broadcast) {
        EXPECT_EQ(again->schedule.call.root, schedule.call.root);
      }
    }
  }
  EXPECT_GT(written, 80);
}

}  // namespace
}  // namespace espalier::formats
