// The interpreter of tests/support has to say no.
#include "support/run_schedule.hpp"

#include <gtest/gtest.h>

#include "schedule/program_builder.hpp"
#include "support/check_schedule.hpp"

namespace espalier::testing_support {
namespace {

using schedule::Collective;
using schedule::Operation;
using schedule::ProgramBuilder;
using schedule::slice;

using Write = void (*)(ProgramBuilder&, ProgramBuilder&);

/// Two ranks, four elements; complaints of any of ten orders of events.
std::string check_pair(Operation operation, Write write, bool commutative = false) {
  Collective call;
  call.operation = operation;
  call.size = 2;
  call.count = 4;
  call.commutative = commutative;
  ProgramBuilder zero(0), one(1);
  write(zero, one);
  const Schedule schedule{call, "by hand", {std::move(zero).build(), std::move(one).build()}};
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::string complaint = check_schedule(schedule, seed);
    if (!complaint.empty()) return complaint;
  }
  return {};
}

const auto kIn = slice(Buffer::In, 0, 4);
const auto kOut = slice(Buffer::Out, 0, 4);
const auto kSpare = slice(Buffer::Scratch, 0, 4);

TEST(RunSchedule, AcceptsABroadcast) {
  EXPECT_EQ(check_pair(Operation::Broadcast,
                       [](ProgramBuilder& zero, ProgramBuilder& one) {
                         zero.send(1, kOut);
                         one.recv(0, kOut);
                       }),
            "");
}

TEST(RunSchedule, RefusesAnOutputThatNobodyWrote) {
  EXPECT_EQ(check_pair(Operation::Broadcast, [](ProgramBuilder&, ProgramBuilder&) {}),
            "rank 1, Out[0]: is not written");
}

TEST(RunSchedule, RefusesTheWrongInput) {
  EXPECT_EQ(check_pair(Operation::Scatter,
                       [](ProgramBuilder& zero, ProgramBuilder& one) {
                         zero.send(1, kIn);
                         zero.copy(kIn, kOut);
                         one.recv(0, kOut);
                       }),
            "rank 1, Out[0]: is wrong");
}

TEST(RunSchedule, RefusesAMessageThatNobodyTakes) {
  EXPECT_EQ(check_pair(Operation::Barrier,
                       [](ProgramBuilder& zero, ProgramBuilder&) { zero.send(1, {}); }),
            "rank 0: never ends: 1 ops are left");
}

TEST(RunSchedule, RefusesSendsThatWaitForEachOther) {
  const auto crossing = [](ProgramBuilder& zero, ProgramBuilder& one) {
    zero.send(1, {});
    zero.fence();
    zero.recv(1, {});
    one.send(0, {});
    one.fence();
    one.recv(0, {});
  };
  EXPECT_EQ(check_pair(Operation::Barrier, crossing), "rank 0: never ends: 2 ops are left");
}

TEST(RunSchedule, RefusesDifferentLengths) {
  EXPECT_EQ(check_pair(Operation::Broadcast,
                       [](ProgramBuilder& zero, ProgramBuilder& one) {
                         zero.send(1, slice(Buffer::Out, 0, 3));
                         one.recv(0, kOut);
                       }),
            "rank 1: expects another length than comes from rank 0");
}

TEST(RunSchedule, RefusesToWriteAnInput) {
  EXPECT_EQ(check_pair(Operation::Scan,
                       [](ProgramBuilder& zero, ProgramBuilder& one) {
                         zero.send(1, kIn);
                         one.recv(0, kIn);
                       }),
            "rank 1: writes its input");
}

TEST(RunSchedule, RefusesTheWrongOrderOfOperands) {
  EXPECT_EQ(check_pair(Operation::Scan,
                       [](ProgramBuilder& zero, ProgramBuilder& one) {
                         zero.copy(kIn, kOut);
                         zero.send(1, kIn);
                         one.recv(0, kOut);
                         one.reduce(kIn, kOut, Operands::FromThenTo);
                       }),
            "rank 1, Out[0]: is wrong");
}

TEST(RunSchedule, RefusesABarrierThatOneSideDoesNotHearOf) {
  EXPECT_EQ(check_pair(Operation::Barrier,
                       [](ProgramBuilder& zero, ProgramBuilder& one) {
                         zero.send(1, {});
                         one.recv(0, {});
                       }),
            "rank 0: does not wait for rank 1");
}

TEST(RunSchedule, RefusesDifferentBits) {
  const auto both_put_their_own_first = [](ProgramBuilder& zero, ProgramBuilder& one) {
    for (ProgramBuilder* program : {&zero, &one}) {
      (void)program->scratch(4);
      const Rank other = 1 - program->rank();
      program->copy(kIn, kOut);
      program->send(other, kIn);
      program->recv(other, kSpare);
      program->reduce(kSpare, kOut, Operands::ToThenFrom);
    }
  };
  EXPECT_EQ(check_pair(Operation::Allreduce, both_put_their_own_first),
            "rank 1, Out[0]: is wrong");  // not the order of the ranks
  EXPECT_EQ(check_pair(Operation::Allreduce, both_put_their_own_first, /*commutative=*/true),
            "rank 1, Out[0]: has not the same bits as on rank 0");
}

/// A program whose dependencies are all forgotten: some order of events shows it.
TEST(RunSchedule, RefusesAMissingDependency) {
  Collective call;
  call.operation = Operation::Broadcast;
  call.size = 3;
  call.count = 2;
  ProgramBuilder zero(0), one(1), two(2);
  zero.send(1, slice(Buffer::Out, 0, 2));
  one.recv(0, slice(Buffer::Out, 0, 2));
  one.send(2, slice(Buffer::Out, 0, 2));
  two.recv(1, slice(Buffer::Out, 0, 2));
  Schedule schedule{
      call, "", {std::move(zero).build(), std::move(one).build(), std::move(two).build()}};
  EXPECT_EQ(check_schedule(schedule, 1), "");
  for (Op& op : schedule.programs[1].ops) op.dep_count = 0;
  EXPECT_EQ(check_schedule(schedule, 1), "rank 1: reads what nobody wrote");
}

}  // namespace
}  // namespace espalier::testing_support
