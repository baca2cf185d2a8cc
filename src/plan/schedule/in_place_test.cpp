#include "schedule/in_place.hpp"

#include <gtest/gtest.h>

#include "schedule/program_builder.hpp"

namespace espalier::schedule {
namespace {

TEST(InPlace, AResultWaitsUntilTheContributionThereHasLeft) {
  ProgramBuilder builder(1);
  builder.send(0, slice(Buffer::In, 0, 10));
  builder.recv(0, slice(Buffer::Out, 0, 10));
  const Program program = std::move(builder).build();
  EXPECT_TRUE(program.deps_of(program.ops[1]).empty());
  const auto joined = in_place(program);
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->ops[0].from.buffer, Buffer::Out);
  ASSERT_EQ(joined->deps_of(joined->ops[1]).size(), 1u);
  EXPECT_EQ(joined->deps_of(joined->ops[1])[0], 0u);
}

TEST(InPlace, OtherSlicesStillOverlap) {
  ProgramBuilder builder(1);
  builder.send(0, slice(Buffer::In, 0, 5));
  builder.recv(0, slice(Buffer::Out, 5, 5));
  const auto joined = in_place(std::move(builder).build());
  ASSERT_TRUE(joined);
  EXPECT_TRUE(joined->deps_of(joined->ops[1]).empty());
}

TEST(InPlace, ContributionsThatAreLaidDownStayWhereTheyAre) {
  ProgramBuilder builder(0);
  builder.copy(slice(Buffer::In, 0, 10), slice(Buffer::Out, 0, 10));
  builder.send(1, slice(Buffer::In, 3, 4));  // still the input
  EXPECT_TRUE(in_place(std::move(builder).build()));
}

TEST(InPlace, RefusesAProgramThatReadsWhatItHasOverwritten) {
  ProgramBuilder builder(0);
  builder.recv(1, slice(Buffer::Out, 0, 4));
  builder.send(1, slice(Buffer::In, 3, 4));
  EXPECT_FALSE(in_place(std::move(builder).build()));
}

TEST(InPlace, RefusesWhereSomethingElseIsCopiedOverTheInput) {
  ProgramBuilder builder(0);
  const std::uint64_t received = builder.scratch(4);
  builder.recv(1, slice(Buffer::Scratch, received, 4));
  builder.copy(slice(Buffer::Scratch, received, 4), slice(Buffer::Out, 0, 4));
  builder.reduce(slice(Buffer::In, 0, 4), slice(Buffer::Out, 0, 4), Operands::ToThenFrom);
  EXPECT_FALSE(in_place(std::move(builder).build()));
}

TEST(InPlace, AnInputThatLiesFurtherOnIsReadThere) {
  ProgramBuilder builder(2);
  builder.copy(slice(Buffer::In, 0, 10), slice(Buffer::Out, 20, 10));
  builder.send(0, slice(Buffer::In, 0, 10));
  builder.recv(0, slice(Buffer::Out, 0, 20));
  const auto joined = in_place(std::move(builder).build(), /*at=*/20);
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->ops[1].from, slice(Buffer::Out, 20, 10));
  EXPECT_TRUE(joined->deps_of(joined->ops[2]).empty());
}

TEST(InPlace, RefusesAnInputFurtherOnThatIsReadTooLate) {
  ProgramBuilder builder(2);
  builder.recv(0, slice(Buffer::Out, 19, 2));
  builder.send(0, slice(Buffer::In, 0, 10));
  EXPECT_FALSE(in_place(std::move(builder).build(), /*at=*/20));
}

TEST(InPlace, KeepsFences) {
  ProgramBuilder builder(0);
  builder.recv(1, {});
  builder.fence();
  builder.send(1, {});
  const auto joined = in_place(std::move(builder).build());
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->deps_of(joined->ops[1]).size(), 1u);
}

}  // namespace
}  // namespace espalier::schedule
