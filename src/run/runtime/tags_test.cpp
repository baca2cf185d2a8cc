#include "runtime/tags.hpp"

#include <gtest/gtest.h>

#include <set>

namespace espalier::runtime {
namespace {

TEST(Tags, StayWithinTheBoundForAllCalls) {
  for (const int bound : {32767, (1 << 28) - 1, 2147483647, 100000}) {
    const Tags tags(bound);
    for (std::uint64_t call = 0; call < 5000; call += 7) {
      for (const std::uint32_t message : {0U, 1U, 4000U, ~0U}) {
        for (const std::uint64_t signature : {std::uint64_t{0}, ~std::uint64_t{0}}) {
          const int tag = tags.tag(call, signature, message);
          ASSERT_GE(tag, 0);
          ASSERT_LE(tag, bound);
        }
      }
    }
  }
}

TEST(Tags, MessagesOfOneCallDifferAndWrapRound) {
  const Tags tags(32767);  // 15 bits: 6 of the call, 4 of the signature, 5 of the message
  std::set<int> seen;
  for (std::uint32_t message = 0; message < 90; ++message) seen.insert(tags.tag(3, 9, message));
  EXPECT_EQ(seen.size(), 28u);  // two are kept for roles, one for requests
  EXPECT_FALSE(seen.contains(tags.role_tag(3, 9)));
  EXPECT_FALSE(seen.contains(tags.role_data_tag(3, 9)));
  EXPECT_NE(tags.role_tag(3, 9), tags.role_data_tag(3, 9));
  EXPECT_EQ(tags.call_of(tags.role_tag(3, 9)), tags.call_of(tags.tag(3, 9, 0)));
  EXPECT_EQ(tags.tag(3, 9, 0), tags.tag(3, 9, 28));
  EXPECT_EQ(tags.tag(3, 9, 5), tags.tag(3 + 64, 9, 5));
  EXPECT_NE(tags.tag(3, 9, 5), tags.tag(4, 9, 5));
}

TEST(Tags, CallsThatAreApartHaveOtherTags) {
  for (const int bound : {32767, (1 << 28) - 1, 2147483647}) {
    const Tags tags(bound);
    const std::uint64_t apart = tags.calls_apart();
    ASSERT_EQ(tags.tag(5, 9, 1), tags.tag(5 + apart, 9, 1));
    for (std::uint64_t ahead = 1; ahead < apart; ahead += 1 + apart / 100) {
      ASSERT_NE(tags.call_of(tags.tag(5, 9, 1)), tags.call_of(tags.tag(5 + ahead, 9, 1)));
    }
    EXPECT_GE(apart, 64u);
  }
}

TEST(Tags, OfRequestsDifferFromEachOtherAndFromAllOthers) {
  const Tags tags(32767);
  std::set<int> seen;
  for (std::uint64_t call = 0; call < tags.calls_apart(); ++call) {
    for (std::uint64_t signature = 0; signature < 16; ++signature) {
      for (std::uint32_t message = 0; message < 28; ++message) {
        seen.insert(tags.tag(call, signature, message));
      }
      seen.insert(tags.role_tag(call, signature));
      seen.insert(tags.role_data_tag(call, signature));
    }
    seen.insert(tags.failure_tag(call));
  }
  EXPECT_EQ(tags.requests_apart(), 1024u);
  for (std::uint64_t request = 0; request < tags.requests_apart(); ++request) {
    ASSERT_TRUE(seen.insert(tags.request_tag(request)).second) << request;
    ASSERT_LE(tags.request_tag(request), 32767);
  }
}

TEST(Tags, TellTheCallAndItsSignature) {
  const Tags tags((1 << 28) - 1);
  const int one = tags.tag(1000, 0x1235, 77);
  EXPECT_EQ(tags.signature_of(one), 5);
  EXPECT_EQ(tags.call_of(one), tags.call_of(tags.tag(1000, 0, 3)));
  EXPECT_NE(tags.call_of(one), tags.call_of(tags.tag(1001, 0x1235, 77)));
}

TEST(Tags, OfOtherCallsHaveTheCallAndAnotherSignatureAndAreNoMessages) {
  const Tags tags(32767);
  for (std::uint64_t signature = 0; signature < 16; ++signature) {
    const int told = tags.other_call_tag(3, signature);
    EXPECT_EQ(tags.call_of(told), tags.call_of(tags.tag(3, signature, 0)));
    EXPECT_NE(tags.signature_of(told), tags.signature_of(tags.tag(3, signature, 0)));
    for (std::uint64_t other = 0; other < 16; ++other) {
      for (std::uint32_t message = 0; message < 28; ++message) {
        ASSERT_NE(told, tags.tag(3, other, message));
      }
    }
  }
}

TEST(Tags, TellWhichCallIsLater) {
  for (const int bound : {32767, (1 << 28) - 1, 2147483647}) {
    const Tags tags(bound);
    const std::uint64_t apart = tags.calls_apart();
    for (const std::uint64_t call : {std::uint64_t{0}, apart - 1, 5 * apart + 7}) {
      for (const std::uint64_t ahead : {std::uint64_t{1}, apart / 4, apart / 2}) {
        ASSERT_TRUE(tags.is_later(tags.tag(call + ahead, 3, 1), tags.tag(call, 9, 0)));
      }
      ASSERT_FALSE(tags.is_later(tags.tag(call, 3, 1), tags.tag(call, 9, 0)));
      ASSERT_FALSE(tags.is_later(tags.tag(call, 3, 1), tags.tag(call + 1, 9, 0)));
      ASSERT_EQ(tags.call_of(tags.failure_tag(call)), tags.call_of(tags.tag(call, 9, 0)));
    }
  }
}

}  // namespace
}  // namespace espalier::runtime
