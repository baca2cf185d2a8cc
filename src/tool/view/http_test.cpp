#include "view/http.hpp"

#include <gtest/gtest.h>

namespace espalier::view {
namespace {

std::string request_text(const std::string& body, const std::string& extra = "") {
  return "POST /t/api/plan?x=1 HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n" + extra + "\r\n" + body;
}

TEST(ViewHttp, ReadsARequestThatComesInPieces) {
  const std::string whole = request_text("{\"a\": 1}", "X-Other:  spaced \r\n");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Incoming part = read_request(std::string_view(whole).substr(0, length));
    ASSERT_FALSE(part.is_complete) << length;
  }
  const Incoming incoming = read_request(whole);
  ASSERT_TRUE(incoming.is_complete);
  ASSERT_FALSE(incoming.refusal);
  EXPECT_EQ(incoming.request.method, "POST");
  EXPECT_EQ(incoming.request.path(), "/t/api/plan");
  EXPECT_EQ(incoming.request.body, "{\"a\": 1}");
  ASSERT_NE(incoming.request.header("x-other"), nullptr);
  EXPECT_EQ(*incoming.request.header("x-other"), "spaced");
}

int status_of(const std::string& text) {
  const Incoming incoming = read_request(text);
  EXPECT_TRUE(incoming.is_complete) << text;
  return incoming.refusal ? incoming.refusal->status : 0;
}

TEST(ViewHttp, RefusesWhatIsNoRequest) {
  EXPECT_EQ(status_of("GET\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/2\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET relative HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET /a b HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nno colon\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nA: b\x01\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), 400);
  EXPECT_EQ(status_of(request_text("x", "Content-Length: 1\r\n")), 400);
  EXPECT_EQ(status_of(request_text("", "Transfer-Encoding: chunked\r\n")), 411);
}

TEST(ViewHttp, RefusesWhatIsTooLong) {
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nA: " + std::string(kMostHeaderBytes, 'a')), 431);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n"), 413);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n"), 400);
}

TEST(ViewHttp, AnswersMayNotBeStoredOrFramed) {
  const std::string text = write_response({200, "text/plain", "four"});
  EXPECT_TRUE(text.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_NE(text.find("Content-Length: 4\r\n"), std::string::npos);
  for (const char* header : {"Cache-Control: no-store", "Referrer-Policy: no-referrer",
                             "X-Frame-Options: DENY", "X-Content-Type-Options: nosniff"}) {
    EXPECT_NE(text.find(header), std::string::npos) << header;
  }
  EXPECT_TRUE(text.ends_with("\r\n\r\nfour"));
}

}  // namespace
}  // namespace espalier::view
