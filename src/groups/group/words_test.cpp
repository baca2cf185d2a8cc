#include "group/words.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace espalier::group {
namespace {

TEST(Words, bytes_are_appended_with_zeros_behind_them) {
  const std::array<std::byte, 9> bytes{std::byte{1}, std::byte{2}, std::byte{3},
                                       std::byte{4}, std::byte{5}, std::byte{6},
                                       std::byte{7}, std::byte{8}, std::byte{9}};
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    Words words{7, 8, 9, 10};  // so that some stay in place and some go to the heap
    words.append_bytes({bytes.data(), length});
    ASSERT_EQ(words.size(), 4 + (length + 3) / 4) << length;
    EXPECT_EQ(words[3], 10U);
    EXPECT_EQ(std::memcmp(words.data() + 4, bytes.data(), length), 0) << length;
    for (std::size_t i = length; i < 4 * (words.size() - 4U); ++i) {
      EXPECT_EQ(reinterpret_cast<const char*>(words.data() + 4)[i], 0) << length;
    }
  }
}

}  // namespace
}  // namespace espalier::group
