#include "shared/fold.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace espalier::shared {
namespace {

template <typename T, std::size_t N>
const std::byte* bytes_of_array(const std::array<T, N>& values) {
  return reinterpret_cast<const std::byte*>(values.data());
}

TEST(Fold, CombinesFromTheRightInTheOrderOfTheInputs) {
  // 1e308 + (1e308 + -1e308) is finite; (1e308 + 1e308) + -1e308 is not.
  const std::array<double, 1> a{1e308}, b{1e308}, c{-1e308};
  const std::array inputs{bytes_of_array(a), bytes_of_array(b), bytes_of_array(c)};
  std::array<double, 1> out{};
  combine_of(Kind::Double, Arithmetic::Sum)
      ->fold(inputs, reinterpret_cast<std::byte*>(out.data()), sizeof out);
  EXPECT_EQ(out[0], 1e308);
}

TEST(Fold, WrapsAroundWhereNumbersOverflow) {
  const std::array<std::int32_t, 1> a{std::numeric_limits<std::int32_t>::max()}, b{1};
  const std::array inputs{bytes_of_array(a), bytes_of_array(b)};
  std::array<std::int32_t, 1> out{};
  combine_of(Kind::Int32, Arithmetic::Sum)
      ->fold(inputs, reinterpret_cast<std::byte*>(out.data()), sizeof out);
  EXPECT_EQ(out[0], std::numeric_limits<std::int32_t>::min());
}

// MPICH and Open MPI compute `second > first ? second : first`, and likewise for the minimum.
TEST(Fold, KeepsTheFirstIfOneOfTwoIsNotANumber) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::array<double, 2> first{none, 1}, second{1, none};
  const std::array inputs{bytes_of_array(first), bytes_of_array(second)};
  for (const Arithmetic arithmetic : {Arithmetic::Max, Arithmetic::Min}) {
    std::array<double, 2> out{};
    combine_of(Kind::Double, arithmetic)
        ->fold(inputs, reinterpret_cast<std::byte*>(out.data()), sizeof out);
    EXPECT_TRUE(std::isnan(out[0]));
    EXPECT_EQ(out[1], 1);
  }
}

TEST(Fold, HasNoBitsOfFloatingPoint) {
  EXPECT_EQ(combine_of(Kind::Float, Arithmetic::BitXor), nullptr);
  EXPECT_NE(combine_of(Kind::UInt64, Arithmetic::BitXor), nullptr);
}

TEST(Fold, CombinesPairsInTheSameOrder) {
  std::string order;
  const CombinePairs pairs(
      [&](const std::byte* first, std::byte* second, std::uint64_t) {
        order += static_cast<char>(*first);
        order += static_cast<char>(*second);
        *second = std::byte{'x'};
      },
      1);
  const std::array<char, 1> a{'a'}, b{'b'}, c{'c'};
  const std::array inputs{bytes_of_array(a), bytes_of_array(b), bytes_of_array(c)};
  std::byte out{};
  pairs.fold(inputs, &out, 1);
  EXPECT_EQ(order, "bcax");  // b op c first, then a with what that came to
}

}  // namespace
}  // namespace espalier::shared
