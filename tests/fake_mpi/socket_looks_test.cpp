// When looks begin and when rank 0 reads what an earlier run kept, on a fake MPI.
#include "mpi/socket_looks.hpp"

#include <gtest/gtest.h>

#include <array>

#include "fake_mpi/fake_mpi.hpp"

namespace espalier::mpi {

// Nothing was kept here, so nothing is delivered.
KeptDelivery::KeptDelivery(MPI_Comm, int, const std::string&, std::size_t) {}
KeptDelivery::~KeptDelivery() = default;
std::optional<KeptStart> KeptDelivery::finish() { return std::nullopt; }

}  // namespace espalier::mpi

namespace espalier::fake {
namespace {

constexpr std::array<int, 2> kLeaders{0, 1};
constexpr std::array<std::uint64_t, 2> kNoAddresses{0, 0};

/// Seconds after which rank 0 of two reads, if calls take so long. Our own work takes none.
double reads_after(double seconds_of_a_call, double expected, double* told_after = nullptr) {
  World world(2);
  double now = 0, read_at = -1;
  std::array<runtime::Account, 2> accounts;
  mpi::SocketLooks first(kLeaders, kNoAddresses, 0, [&] {
    read_at = now;
    return mpi::SocketLooks::Earlier{"", expected};
  });
  mpi::SocketLooks second(kLeaders, kNoAddresses, 1, {});
  while (now < 10) {
    for (const int rank : {0, 1}) {
      world.me = rank;
      auto& looks = rank == 0 ? first : second;
      const auto told =
          looks.before_call(MPI_COMM_WORLD, 0, now, accounts[static_cast<std::size_t>(rank)]);
      if (told && told->expected > 0 && told_after != nullptr && *told_after < 0) *told_after = now;
    }
    now += seconds_of_a_call;
  }
  return read_at;
}

/// 0.1 s pay for reading a file, 1 s for plans: the file is not read only then.
TEST(SocketLooks, WhatAnEarlierRunKeptIsReadAsSoonAsThereIsTimeForIt) {
  for (const double seconds : {1e-3, 5e-3, 0.02, 0.09}) {
    double told_after = -1;
    const double read_at = reads_after(seconds, 100, &told_after);
    EXPECT_GE(read_at, 0.1) << seconds;
    EXPECT_LE(read_at, 0.1 + 10 * seconds) << seconds;
    EXPECT_LE(told_after, read_at + 5 * seconds) << seconds;
  }
}

/// Fast calls have all usual looks over long before probes are paid for.
TEST(SocketLooks, GoOnUntilThereIsTimeForProbes) {
  constexpr double kSecondsOfProbes = 1.2, kSecondsOfACall = 1e-3;
  World world(2);
  std::array<runtime::Account, 2> accounts;
  mpi::SocketLooks first(kLeaders, kNoAddresses, 0, {}), second(kLeaders, kNoAddresses, 1, {});
  int looks = 0;
  double paid_at = -1;
  for (double now = 0; now < 80 && paid_at < 0; now += kSecondsOfACall) {
    for (const int rank : {0, 1}) {
      world.me = rank;
      auto& looker = rank == 0 ? first : second;
      auto& account = accounts[static_cast<std::size_t>(rank)];
      const auto told = looker.before_call(MPI_COMM_WORLD, 0, now, account);
      EXPECT_FALSE(looker.is_over(true));
      if (!told || rank != 0) continue;
      ++looks;
      if (runtime::Account::pays_for(kSecondsOfProbes, told->elapsed, told->spent)) paid_at = now;
    }
  }
  EXPECT_GT(looks, mpi::SocketLooks::kMostLooks);
  EXPECT_GE(paid_at, 60);
  EXPECT_LE(paid_at, 63);
  EXPECT_TRUE(first.is_over(false));
}

}  // namespace
}  // namespace espalier::fake
