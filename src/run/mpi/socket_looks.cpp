#include "mpi/socket_looks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mpi/seconds_now.hpp"

namespace espalier::mpi {
namespace {

using discover::Node;
using discover::NodesSeen;

constexpr double kNews = 1.3;  // figures that differ by less are no news
constexpr double kContradiction = 1.5;
/// What reading a file in the user's home folder is predicted to take, which may be on another
/// host. All ranks wait for rank 0 meanwhile, sooner or later.
constexpr double kSecondsToRead = 2e-3;
/// Numbers of a look before what connections show.
constexpr std::size_t kOwnNumbers = 6;

/// The one or two addresses that are packed into a number.
std::vector<std::uint32_t> addresses_in(std::uint64_t both) {
  std::vector<std::uint32_t> all;
  for (const auto one : {static_cast<std::uint32_t>(both), static_cast<std::uint32_t>(both >> 32U)})
    if (one != 0) all.push_back(one);
  return all;
}

bool differ(double a, double b) { return a > kNews * b || b > kNews * a; }

}  // namespace

SocketLooks::SocketLooks(std::span<const int> leaders, std::span<const std::uint64_t> addresses,
                         int rank, ReadEarlier read)
    : read_(std::move(read)) {
  std::vector<Node> node_of(leaders.size());
  for (std::size_t r = 0; r < leaders.size(); ++r) {
    const auto leader = static_cast<std::size_t>(leaders[r]);
    if (leader == r) {
      node_of[r] = static_cast<Node>(ranks_.size());
      ranks_.emplace_back();
      addresses_.push_back(addresses_in(addresses[r]));
    }
    node_of[r] = node_of[leader];
    ranks_[node_of[r]].push_back(static_cast<Rank>(r));
  }
  here_ = node_of[static_cast<std::size_t>(rank)];
  addresses_ = discover::own_only(std::move(addresses_));
  const bool tell_all_apart = std::none_of(addresses_.begin(), addresses_.end(),
                                           [](const auto& node) { return node.empty(); });
  if (ranks_.size() <= NodesSeen::kMost && tell_all_apart) {
    seen_.emplace(static_cast<Node>(ranks_.size()));
  }
}

void SocketLooks::begin(MPI_Comm over, double elapsed, const runtime::Account& account) {
  if (read_ && runtime::Account::pays_for(kSecondsToRead, elapsed, account.own_with_regret())) {
    Earlier earlier = std::exchange(read_, nullptr)();
    kept_ = std::move(earlier.kept);
    expected_ = earlier.expected;
  }
  std::vector<double> mine{-elapsed,          account.own_with_regret(),
                           -account.waited(), static_cast<double>(kept_.size()),
                           expected_,         read_ ? 1.0 : 0.0};
  if (seen_) {
    NodesSeen own = *seen_;
    for (const discover::PeerSeen& peer : discover::own_peers()) {
      for (Node node = 0; node < addresses_.size(); ++node) {
        const auto& known = addresses_[node];
        if (std::find(known.begin(), known.end(), peer.address) == known.end()) continue;
        own.add(here_, node, peer);
      }
    }
    mine.insert(mine.end(), own.numbers().begin(), own.numbers().end());
  }
  agreement_ = std::make_unique<LateAgreement>(over);
  agreement_->start(mine);
  on_ = over;
  under_way_ = 0;
}

void SocketLooks::leave(MPI_Comm comm) {
  if (comm != on_) return;
  if (agreement_ != nullptr) agreement_->complete();
  if (delivery_ != nullptr) delivery_->complete();
  on_ = MPI_COMM_NULL;
}

bool SocketLooks::is_news() const {
  if (!told_) return true;
  for (Node a = 0; a < seen_->nodes(); ++a) {
    for (Node b = 0; b < seen_->nodes(); ++b) {
      const auto before = told_->round_trip(a, b), now = seen_->round_trip(a, b);
      if (now.has_value() != before.has_value()) return true;
      if (now &&
          differ(static_cast<double>(now->picoseconds), static_cast<double>(before->picoseconds))) {
        return true;
      }
    }
  }
  return false;
}

std::optional<discover::SeenMachine> SocketLooks::news() {
  if (!seen_ || !is_news()) return std::nullopt;
  auto machine = discover::machine_seen(*seen_, ranks_);
  if (machine) told_ = seen_;
  return machine;
}

SocketLooks::Told SocketLooks::end(MPI_Comm over, int root, runtime::Account& account) {
  Told told;
  const double came = seconds_now();
  const std::vector<double> largest = agreement_->finish();
  account.wait(seconds_now() - came);
  agreement_.reset();
  has_failed_ = largest.size() < kOwnNumbers;
  if (has_failed_) return told;
  told.elapsed = -largest[0];
  told.spent = largest[1] - largest[2];
  told.expected = expected_ = largest[4];
  // What cannot be planned for yet is not made of it yet; a later look asks again.
  const double counted = std::max(told.elapsed, told.expected);
  if (!runtime::Account::pays_for(runtime::Account::kSecondsToPlan, counted, told.spent)) {
    if (seen_) seen_->take(std::span(largest).subspan(kOwnNumbers));
    // The file may tell that the program runs for long: then there is time at once.
    const double next = largest[5] > 0 ? kSecondsToRead : runtime::Account::kSecondsToPlan;
    asking_.wait_for(runtime::Account::seconds_to_pay_for(next, told.spent), told.elapsed);
    return told;
  }
  if (++looks_ == 1) asking_ = runtime::Asking(kCallsToLook);
  if (largest[3] > 0) {
    delivery_ =
        std::make_unique<KeptDelivery>(over, root, kept_, static_cast<std::size_t>(largest[3]));
    kept_.clear();
    on_ = over;
    under_way_ = 0;
  }
  if (seen_) seen_->take(std::span(largest).subspan(kOwnNumbers));
  // What an earlier run knew comes first: a near machine would end the looks.
  if (delivery_ == nullptr) told.machine = news();
  return told;
}

std::optional<SocketLooks::Told> SocketLooks::before_call(MPI_Comm over, int root, double elapsed,
                                                          runtime::Account& account) {
  if (agreement_ != nullptr || delivery_ != nullptr) {
    asking_.pass();
    if (++under_way_ < kCallsToLook) return std::nullopt;
    if (agreement_ != nullptr) return end(over, root, account);
    Told told;
    const double came = seconds_now();
    told.kept = delivery_->finish();
    account.wait(seconds_now() - came);
    delivery_.reset();
    told.machine = news();
    return told;
  }
  if (!has_failed_ && asking_.is_due()) begin(over, elapsed, account);
  return std::nullopt;
}

bool SocketLooks::contradicts(const topology::Machine& machine) const {
  if (!seen_) return false;
  for (Node a = 0; a < seen_->nodes(); ++a) {
    for (Node b = a + 1; b < seen_->nodes(); ++b) {
      const auto seen = seen_->round_trip(a, b);
      if (!seen) continue;
      const double said =
          2 * static_cast<double>(
                  machine.path(ranks_[a].front(), ranks_[b].front()).latency.picoseconds);
      const auto now = static_cast<double>(seen->picoseconds);
      constexpr double kGrain = 100e6;  // 100 us, in picoseconds
      if ((now > kContradiction * said || said > kContradiction * now) &&
          std::abs(now - said) > kGrain) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace espalier::mpi
