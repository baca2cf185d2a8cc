// Executions on a fake MPI: what each does by itself, and every order of events of two.
#include <gtest/gtest.h>

#include "fake_mpi/fake_ranks.hpp"
#include "fake_mpi/small_run.hpp"
#include "schedule/program_builder.hpp"
#include "topology/random_machine.hpp"

namespace espalier::fake {
namespace {

using mpi::ChannelOptions;
using mpi::Execution;

/// Two executions of every rank: all orders of steps and arrivals, or so many of them.
TEST(Execution, EveryOrderOfEventsOfTwoSmallCallsEndsRight) {
  Random seeds(3);
  std::uint64_t orders = 0;
  for (int round = 0; round < 6; ++round) {
    const std::uint64_t seed = seeds.next();
    std::vector<std::size_t> path;  // which event was taken at each fork
    for (bool is_over = false; !is_over && orders < 40'000;) {
      Random rng(seed);
      topology::RandomMachineOptions machine_options;
      machine_options.max_processes = 3;
      const topology::Machine machine = topology::random_machine(seed, machine_options);
      const collective::Hierarchy hierarchy(machine);
      const int size = static_cast<int>(machine.size());
      CallsOfAll calls;
      calls.push_back(std::make_unique<FakeCall>(random_call(hierarchy, rng, 2)));
      calls.push_back(std::make_unique<FakeCall>(random_blocks(hierarchy, rng, 2)));
      ChannelOptions options;
      options.window = 1;
      options.synchronous_after = 0;
      Ranks ranks(size, options, 8);
      for (int r = 0; r < size; ++r) {
        ranks.begin(r, calls);
        ranks.begin(r, calls);
      }
      std::vector<std::size_t> forks;  // events to choose from at each fork
      std::size_t idle = 0;
      while (true) {
        // Steps that can do nothing new are no events: all are stepped when nothing is on the wire.
        const auto wires = ranks.world().on_the_wire();
        bool is_done = true;
        for (int r = 0; r < size; ++r) is_done &= ranks.open(r) == 0;
        if (is_done && wires.empty()) break;
        const std::size_t events = wires.size() + (is_done ? 0 : static_cast<std::size_t>(size));
        const std::size_t at = forks.size();
        std::size_t taken = at < path.size() ? path[at] : 0;
        if (wires.empty()) {
          for (int r = 0; r < size; ++r) {
            ranks.step(r, 0);
            ranks.step(r, 1);
          }
          ASSERT_LT(++idle, 10'000U)
              << "it hangs: " << calls[0]->name() << ", " << calls[1]->name();
          continue;
        }
        forks.push_back(events);
        if (at == path.size()) path.push_back(taken);
        if (taken < wires.size()) {
          ranks.world().deliver(wires[taken].first, wires[taken].second);
        } else {
          const int rank = static_cast<int>(taken - wires.size());
          ranks.step(rank, 1);
          ranks.step(rank, 0);
          // A step that changes nothing would go on for ever: then the first message arrives.
          ranks.world().deliver(wires[0].first, wires[0].second);
        }
      }
      ++orders;
      for (std::size_t c = 0; c < calls.size(); ++c) {
        for (int r = 0; r < size; ++r) {
          ASSERT_EQ(ranks.run(r, c).code(), MPI_SUCCESS);
          ASSERT_EQ(calls[c]->wrong(static_cast<Rank>(r)), "") << calls[c]->name();
        }
      }
      // The next path: the last fork that has another event.
      path.resize(forks.size());
      while (!path.empty() && path.back() + 1 >= forks[path.size() - 1]) path.pop_back();
      is_over = path.empty() || orders % 8'000 == 0;
      if (!path.empty()) ++path.back();
    }
  }
  EXPECT_GT(orders, 1000U);
}

/// Rank 1 begins the second call only when it has ended the first. Rank 0 has begun both, and as
/// many messages of the second are under way as may be.
TEST(Execution, MessagesOfLaterCallsHoldNoneOfEarlierOnesBack) {
  ChannelOptions options;
  options.synchronous_after = 0;
  Ranks ranks(2, options, 100);
  const auto one = schedule::slice(schedule::Buffer::Out, 0, 1);
  schedule::ProgramBuilder answers(0), asks(1), sends(0), takes(1);
  answers.recv(1, one);
  answers.send(1, one);
  asks.send(0, one);
  asks.recv(0, one);
  for (int m = 0; m < 3; ++m) {
    sends.send(1, one);
    takes.recv(0, one);
  }
  SmallRun first(ranks.channel(0), std::move(answers).build());
  SmallRun second(ranks.channel(0), std::move(sends).build());
  SmallRun first_there(ranks.channel(1), std::move(asks).build());
  SmallRun second_there(ranks.channel(1), std::move(takes).build());
  first.begin(ranks.channel(0));
  second.begin(ranks.channel(0));
  ranks.world().me = 1;
  first_there.begin(ranks.channel(1));
  const auto step_all = [&](std::initializer_list<SmallRun*> here,
                            std::initializer_list<SmallRun*> there) {
    for (int i = 0; i < 10; ++i) {
      ranks.world().deliver_all();
      ranks.world().me = 0;
      for (SmallRun* run : here) run->execution.step();
      ranks.world().me = 1;
      for (SmallRun* run : there) run->execution.step();
    }
  };
  step_all({&first, &second}, {&first_there});
  ASSERT_TRUE(first_there.execution.is_done());
  second_there.begin(ranks.channel(1));
  step_all({&first, &second}, {&second_there});
  EXPECT_TRUE(first.execution.is_done());
  EXPECT_TRUE(second.execution.is_done());
  EXPECT_TRUE(second_there.execution.is_done());
}

/// Rank 1 sends what rank 0 waits for, is done with that, and sends the message of the next call.
class LaterMessages : public testing::Test {
 protected:
  LaterMessages() : ranks_(2, impatient(), 100) {}
  static ChannelOptions impatient() {
    ChannelOptions options;
    options.stall_seconds = 0.01;
    return options;
  }
  static schedule::Region one() { return schedule::slice(schedule::Buffer::Out, 0, 1); }
  /// What rank 0's first call returns; rank 1's first call sends to it or does nothing.
  int end_of_first(bool is_sent) {
    schedule::ProgramBuilder takes(0), sends(1), sends_again(1);
    takes.recv(1, one());
    if (is_sent) sends.send(0, one());
    sends_again.send(0, one());
    SmallRun here(ranks_.channel(0), std::move(takes).build());
    SmallRun there(ranks_.channel(1), std::move(sends).build());
    SmallRun there_next(ranks_.channel(1), std::move(sends_again).build());
    here.begin(ranks_.channel(0));
    ranks_.world().me = 1;
    for (SmallRun* run : {&there, &there_next}) {
      run->begin(ranks_.channel(1));
      run->execution.step();
    }
    ranks_.world().me = 0;
    return here.execution.finish();
  }
  Ranks ranks_;
};

/// On a busy host both may come between the last test of the receive and the look at what else
/// came.
TEST_F(LaterMessages, ThatComeWithTheAwaitedOneAreNoOtherCall) {
  ranks_.world().before_look = [&] { ranks_.world().deliver_all(); };
  EXPECT_EQ(end_of_first(true), MPI_SUCCESS);
}

TEST_F(LaterMessages, OfARankThatSentNothingInThisCallAreAnotherCall) {
  ranks_.world().before_look = [&] { ranks_.world().deliver_all(); };
  EXPECT_EQ(end_of_first(false), MPI_ERR_TRUNCATE);
}

/// A call fails while a message of it waits for its receiver: whoever owns the memory has to know.
TEST(Execution, AFailedCallSaysThatMpiMayStillReadItsMemory) {
  for (const bool sends_too : {true, false}) {
    ChannelOptions options;
    options.synchronous_after = 0;
    Ranks ranks(2, options, 8);
    const auto two = schedule::slice(schedule::Buffer::Out, 0, 2);
    schedule::ProgramBuilder fails(0), sends(1);
    if (sends_too) fails.send(1, two);
    fails.recv(1, schedule::slice(schedule::Buffer::Out, 2, 1));
    sends.send(0, two);
    if (sends_too) sends.recv(0, schedule::slice(schedule::Buffer::Out, 4, 2));
    SmallRun here(ranks.channel(0), std::move(fails).build());
    SmallRun there(ranks.channel(1), std::move(sends).build());
    here.numbers[1] = 12;
    here.begin(ranks.channel(0));
    ranks.world().me = 1;
    there.begin(ranks.channel(1));
    ranks.world().deliver(1, 0);
    ranks.world().me = 0;
    here.execution.step();
    EXPECT_TRUE(here.execution.is_done());
    EXPECT_EQ(here.execution.code(), MPI_ERR_TRUNCATE);
    EXPECT_EQ(here.execution.left_messages(), sends_too);
    EXPECT_EQ(ranks.world().posted(), sends_too ? 1U : 0U);  // rank 1's
    EXPECT_TRUE(ranks.channel(0).is_idle());
    EXPECT_TRUE(ranks.channel(0).may_send_to(1, 1));
    ranks.world().deliver_all();  // reads what still lies at rank 0
    ranks.world().me = 1;
    there.execution.step();
    EXPECT_TRUE(there.execution.is_done());
    EXPECT_EQ(there.numbers[5], sends_too ? 12 : 0);
  }
}

/// One rank sends `messages` numbers to another that never comes.
schedule::Program many_sends(std::uint64_t messages) {
  schedule::ProgramBuilder program(0);
  for (std::uint64_t m = 0; m < messages; ++m) {
    program.send(1, schedule::slice(schedule::Buffer::In, m, 1));
  }
  return std::move(program).build();
}

TEST(Execution, AStepLooksAtFewRequests) {
  for (const std::uint64_t messages : {16U, 1024U, 20'000U}) {
    Ranks ranks(2, {}, 0);
    const auto program =
        runtime::prepare(many_sends(messages), [](Rank) { return runtime::PeerLink{}; });
    std::vector<std::int64_t> numbers(messages);
    mpi::ElementCall call;
    call.program = &program;
    call.buffers.layout = {MPI_INT64_T, 8, 8, 0, 8, true};
    call.buffers.base[0] = reinterpret_cast<std::byte*>(numbers.data());
    mpi::ElementPayload payload(ranks.channel(0));
    payload.take(call, 0);
    Execution execution(ranks.channel(0));
    execution.begin(program, payload, ranks.channel(0).take_number(), 0);
    for (int step = 0; step < 10; ++step) {
      const std::uint64_t before = ranks.world().tested;
      execution.step();
      EXPECT_LE(ranks.world().tested - before, mpi::Requests<mpi::Part>::kAtOnce) << messages;
    }
  }
}

}  // namespace
}  // namespace espalier::fake
