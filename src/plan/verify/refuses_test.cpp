#include <gtest/gtest.h>

#include "support/schedules/all.hpp"
#include "support/schedules/editable.hpp"
#include "verify/verify.hpp"

// One plain example of everything that is refused, and what is said of it.

namespace espalier::verify {
namespace {

using namespace test_schedules;
using schedule::Op;
using schedule::OpKind;
using schedule::Program;

/// The verdict's first finding is of this kind, at this op, and its words contain `words`.
void expect_refused(const Schedule& schedule, FindingKind kind, Rank rank, std::uint32_t op,
                    const std::string& words) {
  const Verdict verdict = verify(schedule);
  ASSERT_FALSE(verdict.ok());
  const Finding& first = verdict.findings[0];
  EXPECT_EQ(first.kind, kind) << first;
  EXPECT_EQ(first.rank, rank) << first;
  EXPECT_EQ(first.op, op) << first;
  EXPECT_NE(to_string(first).find(words), std::string::npos) << first;
}

/// Rank 0 sends four units to rank 1.
Schedule two_ranks() { return broadcast_flat(call_of(Operation::Broadcast, 2, 0, 4)); }

Op& op_of(Schedule& schedule, Rank rank, std::size_t op) { return schedule.programs[rank].ops[op]; }

TEST(Refuses, ADependencyOnALaterOp) {
  Schedule s = broadcast_chain(call_of(Operation::Broadcast, 3, 0, 4), 1);
  s.programs[1].deps[0] = 1;
  expect_refused(s, FindingKind::Malformed, 1, 1, "waits for op 1");
}

TEST(Refuses, AProgramTooFew) {
  Schedule s = two_ranks();
  s.programs.pop_back();
  expect_refused(s, FindingKind::Malformed, kNoRank, kNoOp, "1 programs; expected 2");
}

TEST(Refuses, CountsWhereThereAreNoBlocks) {
  Schedule s = two_ranks();
  s.call.counts = {1, 2};
  expect_refused(s, FindingKind::Malformed, kNoRank, kNoOp, "broadcast with counts");
}

TEST(Refuses, APeerThatIsNotThere) {
  Schedule s = two_ranks();
  op_of(s, 1, 0).peer = 2;
  expect_refused(s, FindingKind::Malformed, 1, 0, "peers up to 2; expected ranks below 2");
}

TEST(Refuses, ASliceBeyondItsBuffer) {
  Schedule s = two_ranks();
  op_of(s, 1, 0).to.offset = 1;
  expect_refused(s, FindingKind::OutOfBounds, 1, 0, "unit 5 of Out; expected at most its 4 units");
}

TEST(Refuses, AWriteToTheSendBuffer) {
  Schedule s = allreduce_chain(call_of(Operation::Allreduce, 2, 0, 4));
  op_of(s, 1, 0).to.buffer = Buffer::In;
  expect_refused(s, FindingKind::WritesInput, 1, 0, "writes the user's send buffer");
}

TEST(Refuses, AMessageToSelf) {
  Schedule s = two_ranks();
  op_of(s, 1, 0).peer = 1;
  expect_refused(s, FindingKind::SelfMessage, 1, 0, "rank 1 is its own peer; expected a copy");
}

TEST(Refuses, AReceiveWithoutItsSend) {
  Schedule s = two_ranks();
  op_of(s, 1, 0).tag = 3;
  expect_refused(s, FindingKind::NoPartner, 0, 0, "rank 1 has no receive from rank 0 with tag 0");
}

TEST(Refuses, ATagUsedTwice) {
  Schedule s = broadcast_chain(call_of(Operation::Broadcast, 2, 0, 4), 2);
  for (const Rank r : {0U, 1U}) op_of(s, r, 1).tag = 0;
  expect_refused(s, FindingKind::RepeatedTag, 0, 1, "has tag 0 in op 0 already");
}

TEST(Refuses, AReceiveOfAnotherLength) {
  Schedule s = two_ranks();
  op_of(s, 1, 0).to.length = 3;
  expect_refused(s, FindingKind::LengthMismatch, 1, 0, "has 4 units, the receive 3");
}

/// Both send first and receive when that is over: works as long as something buffers.
TEST(Refuses, AnExchangeThatNeedsBuffers) {
  Schedule s = alltoall_pairwise(call_of(Operation::Alltoall, 2, 0, 1));
  ASSERT_TRUE(verify(s).ok());
  for (Program& program : s.programs) {
    Editable edit(program);
    edit.steps[2].deps.push_back(1);
    edit.put_back(program);
  }
  expect_refused(s, FindingKind::Deadlock, 0, 1,
                 "rank 0 op 1 (send to 1, tag 0, of In[1, 2)) waits for rank 1 op 2 (recv from 0, "
                 "tag 0, into Out[0, 1)) waits for rank 1 op 1");
}

TEST(Refuses, ASendThatDoesNotWaitForItsData) {
  Schedule s = broadcast_chain(call_of(Operation::Broadcast, 3, 0, 4), 1);
  Editable edit(s.programs[1]);
  edit.steps[1].deps.clear();
  edit.put_back(s.programs[1]);
  expect_refused(s, FindingKind::Race, 1, 1, "both use Out[0, 4)");
}

TEST(Refuses, SlicesOfOneReceiveThatOverlap) {
  Schedule s = gather_flat(call_of(Operation::Gather, 4, 0, 2));
  op_of(s, 0, 0).peer_stride = 1;
  expect_refused(s, FindingKind::Overlap, 0, 0, "writes a unit more than once");
}

TEST(Refuses, AReductionOfABufferWithItself) {
  Schedule s = allreduce_chain(call_of(Operation::Allreduce, 2, 0, 4));
  op_of(s, 0, 2).from = op_of(s, 0, 2).to;
  expect_refused(s, FindingKind::Overlap, 0, 2, "reads a unit that it also writes");
}

TEST(Refuses, ScratchThatNobodyWrote) {
  Schedule s = two_ranks();
  s.programs[0].scratch_units = 6;
  op_of(s, 0, 0).from = slice(Buffer::Scratch, 2, 4);
  expect_refused(s, FindingKind::Undefined, 0, 0, "reads Scratch[2, 6), which holds nothing yet");
}

TEST(Refuses, AReductionWhereTheOperationHasNone) {
  Schedule s = gather_flat(call_of(Operation::Gather, 2, 0, 2));
  op_of(s, 0, 1).kind = OpKind::Reduce;
  expect_refused(s, FindingKind::WrongReduction, 0, 1, "in gather");
}

TEST(Refuses, AnInputCountedTwice) {
  Schedule s = allreduce_chain(call_of(Operation::Allreduce, 2, 0, 4));
  op_of(s, 0, 2).from.buffer = Buffer::In;
  expect_refused(
      s, FindingKind::WrongReduction, 0, 2,
      "combines what has ranks 0 with what has ranks 0; expected each rank's input once");
}

TEST(Refuses, ElementsOfDifferentPlacesCombined) {
  Schedule s = allreduce_chain(call_of(Operation::Allreduce, 2, 0, 4));
  for (Region* region : {&op_of(s, 0, 2).from, &op_of(s, 0, 2).to}) region->length = 3;
  op_of(s, 0, 2).from.offset = 1;
  expect_refused(s, FindingKind::WrongReduction, 0, 2, "unit 0 of the inputs with unit 1");
}

TEST(Refuses, SwappedOperandsOnlyIfTheOperationDoesNotCommute) {
  for (const bool commutative : {true, false}) {
    Schedule s = reduce_binomial(call_of(Operation::Reduce, 4, 0, 4, commutative));
    ASSERT_EQ(op_of(s, 0, 2).kind, OpKind::Reduce);
    op_of(s, 0, 2).operands = Operands::FromThenTo;
    if (commutative) {
      EXPECT_TRUE(verify(s).ok());
    } else {
      expect_refused(s, FindingKind::WrongReduction, 0, 2,
                     "has ranks 1 on the left and ranks 0 on the right");
    }
  }
}

/// Along the ring from rank 1, rank 0 comes last: fine, unless order matters.
TEST(Refuses, ARingThatDoesNotBeginAtRank0IfTheOperationDoesNotCommute) {
  Schedule s = reduce_chain(call_of(Operation::Reduce, 3, 0, 1), 1);
  EXPECT_TRUE(verify(s).ok());
  s.call.commutative = false;
  expect_refused(s, FindingKind::WrongReduction, 0, 1,
                 "has ranks 1-2 on the left and ranks 0 on the right");
}

TEST(Refuses, ABlockInTheWrongPlace) {
  Schedule s = alltoall_pairwise(call_of(Operation::Alltoall, 3, 0, 2));
  std::swap(op_of(s, 1, 2).to, op_of(s, 1, 4).to);
  expect_refused(s, FindingKind::WrongResult, 1, 4,
                 "Out[0, 2) ends up with In[2, 4) of rank 2; expected In[2, 4) of rank 0");
}

TEST(Refuses, AnOutputThatNobodyWrote) {
  Schedule s = two_ranks();
  for (const Rank r : {0U, 1U}) op_of(s, r, 0).from.length = op_of(s, r, 0).to.length = 3;
  expect_refused(s, FindingKind::WrongResult, 1, kNoOp, "Out[3, 4) ends up with nothing");
}

TEST(Refuses, AReductionWithARankLeftOut) {
  Schedule s = reduce_flat(call_of(Operation::Reduce, 4, 0, 4));
  Editable edit(s.programs[0]);
  edit.drop(4, true);  // the reduction of rank 2's input
  edit.put_back(s.programs[0]);
  expect_refused(s, FindingKind::WrongResult, 0, 4,
                 "In[0, 4) of ranks 0-1, 3 combined; expected In[0, 4) of ranks 0-3 combined");
}

/// Each half combines its own side first: right, but two ranks could differ in the last bit.
TEST(Refuses, AnAllreduceThatCombinesDifferentlyOnTwoRanks) {
  Schedule s = allreduce_recursive_doubling(call_of(Operation::Allreduce, 2, 0, 4));
  op_of(s, 1, 3).operands = Operands::ToThenFrom;
  expect_refused(s, FindingKind::DifferentBits, 1, 3,
                 "Out[0, 4) is (1.0); expected (0.1) as on rank 0");
}

TEST(Refuses, ABarrierThatLetsARankGoEarly) {
  Schedule s = barrier_dissemination(call_of(Operation::Barrier, 4, 0, 0));
  // Rank 2 sends its second message without having received the first, from rank 1.
  Editable edit(s.programs[2]);
  edit.steps[2].deps.clear();
  edit.put_back(s.programs[2]);
  expect_refused(s, FindingKind::EarlyExit, 0, kNoOp, "rank 0 may leave before rank 1 enters");
}

TEST(Refuses, ABarrierThatHoldsOnlyIfSendsAreSynchronous) {
  const Schedule s =
      make_schedule(call_of(Operation::Barrier, 2, 0, 0), "one way", [](ProgramBuilder& b) {
        if (b.rank() == 0) b.send(1, {}, 0);
        if (b.rank() == 1) b.recv(0, {}, 0);
      });
  expect_refused(s, FindingKind::EarlyExit, 0, kNoOp, "rank 0 may leave before rank 1 enters");
}

TEST(Refuses, ABarrierWithoutMessages) {
  const Schedule s =
      make_schedule(call_of(Operation::Barrier, 3, 0, 0), "none", [](ProgramBuilder&) {});
  EXPECT_EQ(verify(s).findings.size(), 6U);
}

TEST(Refuses, ToSayMoreThanAskedFor) {
  const Schedule s =
      make_schedule(call_of(Operation::Allgather, 16, 0, 1), "none", [](ProgramBuilder&) {});
  const Verdict verdict = verify(s, {.findings = 3, .slices = 1000});
  EXPECT_EQ(verdict.findings.size(), 3U);
  EXPECT_EQ(verdict.left_off, 16U * 16 - 3);  // one for each block
}

TEST(Refuses, MoreSlicesThanItMayLookAt) {
  const Schedule s = alltoall_direct(call_of(Operation::Alltoall, 16, 0, 1));
  EXPECT_TRUE(verify(s).ok());
  EXPECT_FALSE(verify(s, {.findings = 3, .slices = 100}).ok());
}

}  // namespace
}  // namespace espalier::verify
