#include "view/gate.hpp"

#include <gtest/gtest.h>

#include <set>

namespace espalier::view {
namespace {

const Gate kGate{"0123456789abcdef0123456789abcdef", 4242};

HttpRequest asking(std::string target, std::vector<std::pair<std::string, std::string>> headers) {
  return {"GET", std::move(target), std::move(headers), ""};
}
const std::string kRight = "/0123456789abcdef0123456789abcdef/";

TEST(ViewGate, LetsTheOwnAddressIn) {
  EXPECT_FALSE(refusal(kGate, asking(kRight, {{"host", "127.0.0.1:4242"}})));
  EXPECT_FALSE(refusal(kGate, asking(kRight + "?x", {{"host", "localhost:4242"}})));
  const HttpRequest api = asking(kRight + "api/plan",
                                 {{"host", "127.0.0.1:4242"}, {"origin", "http://127.0.0.1:4242"}});
  EXPECT_FALSE(refusal(kGate, api));
  EXPECT_EQ(inner_path(kGate, api), "api/plan");
  EXPECT_EQ(inner_path(kGate, asking(kRight, {})), "");
  EXPECT_EQ(kGate.address(), "http://127.0.0.1:4242" + kRight);
}

TEST(ViewGate, RefusesARequestWithoutTheToken) {
  for (const char* target :
       {"/", "//", "/api/plan", "/0123456789abcdef0123456789abcdef",
        "/0123456789abcdef0123456789abcde", "/0123456789abcdef0123456789abcdee/",
        "/0123456789abcdef0123456789abcdefx/", "/x/0123456789abcdef0123456789abcdef/",
        "/?0123456789abcdef0123456789abcdef/"}) {
    const auto refused = refusal(kGate, asking(target, {{"host", "127.0.0.1:4242"}}));
    ASSERT_TRUE(refused) << target;
    EXPECT_EQ(refused->status, 403);
    EXPECT_EQ(refused->body.find(kGate.token), std::string::npos);
  }
}

TEST(ViewGate, RefusesOtherHosts) {
  for (const char* host : {"evil.example", "evil.example:4242", "127.0.0.1", "127.0.0.1:80",
                           "127.0.0.1:4242.evil.example", "[::1]:4242", ""}) {
    EXPECT_TRUE(refusal(kGate, asking(kRight, {{"host", host}}))) << host;
  }
  EXPECT_TRUE(refusal(kGate, asking(kRight, {})));
  EXPECT_TRUE(refusal(kGate, asking(kRight, {{"host", "127.0.0.1:4242"}, {"host", "evil"}})));
}

TEST(ViewGate, LetsTheOwnAddressInWithoutTheUsualPort) {
  const Gate usual{kGate.token, 80};
  EXPECT_FALSE(refusal(usual, asking(kRight, {{"host", "127.0.0.1"}})));
  EXPECT_FALSE(
      refusal(usual, asking(kRight, {{"host", "localhost"}, {"origin", "http://localhost"}})));
  EXPECT_FALSE(refusal(usual, asking(kRight, {{"host", "127.0.0.1:80"}})));
  EXPECT_TRUE(refusal(usual, asking(kRight, {{"host", "evil.example"}})));
  EXPECT_TRUE(refusal(usual, asking(kRight, {{"host", "127.0.0.1"}, {"origin", "http://evil"}})));
}

TEST(ViewGate, RefusesOtherOrigins) {
  for (const char* origin : {"http://evil.example", "null", "https://127.0.0.1:4242",
                             "http://127.0.0.1:4243", "http://localhost:4242", ""}) {
    EXPECT_TRUE(refusal(kGate, asking(kRight, {{"host", "127.0.0.1:4242"}, {"origin", origin}})))
        << origin;
  }
}

TEST(ViewGate, TokensAreLongAndDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string token = random_token().value();
    EXPECT_EQ(token.size(), 32U);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
    seen.insert(token);
  }
  EXPECT_EQ(seen.size(), 100U);
}

}  // namespace
}  // namespace espalier::view
