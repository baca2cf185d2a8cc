
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "lab/daemon.hpp"
#include "lab/delay_queue.hpp"
#include "lab/frame.hpp"
#include "lab/interface.hpp"
#include "lab/link_board.hpp"
#include "lab/network.hpp"

namespace espalier::lab {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::size_t kLargestFrame = 70'000;  // 64 KiB of TCP and its headers
constexpr int kFramesInTurn = 32;  // frames from one host before it is the next host's turn
// What passing a frame on takes beside its delay: the router and the receiver have to be woken.
// Half of what ping measures between two hosts without any delay (87 us at best, 111 us on
// average; 2 cores of an Arm server under load). Frames leave that much earlier.
constexpr Instant kOwnCost = 40'000;

Instant now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

// Frames enter links of their route this much before their time: a router that has to be woken for
// every link would do little else. Among frames so close their order is of no account.
constexpr Instant kAhead = 40'000;

/// A frame on its way.
struct Carried {
  std::unique_ptr<unsigned char[]> bytes;
  std::size_t size;
  std::size_t to;
  FrameOnWire on_wire;
  std::span<const std::uint32_t> route;
  Journey journey;

  [[nodiscard]] bool is_there() const { return journey.hop == route.size(); }
  [[nodiscard]] Instant due() const {
    return is_there() ? journey.last - kOwnCost : journey.first - kAhead;
  }
};

class Router {
 public:
  Router(const LabPlan& plan, LinkBoard board)
      : plan_(plan),
        board_(std::move(board)),
        network_(board_.cells(), board_.router().longest_queue_ns),
        buffer_(kLargestFrame) {}

  std::optional<Error> open(const StateFolder& folder, std::span<const pid_t> holders) {
    if (auto e = make_own_namespaces(folder)) return e;
    const FileDescriptor home(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
    events_ = FileDescriptor(::epoll_create1(EPOLL_CLOEXEC));
    if (!home || !events_) return Error{"lab", "cannot start the router", ""};
    // Tried once: without it no frame would pass, and waiting would take a core.
    epoll_event none{};
    const timespec at_once{};
    if (::epoll_pwait2(events_.get(), &none, 1, &at_once, nullptr) < 0) {
      return Error{"lab", fmt::format("epoll_pwait2: {}", std::strerror(errno)),
                   "a lab needs Linux 5.11 or later, and a sandbox that allows this call"};
    }
    for (std::size_t i = 0; i < holders.size(); ++i) {
      if (auto e = enter_network(holders[i])) return e;
      auto tap = open_interface(plan_.hosts[i].address, mac_of_host(i));
      if (!tap) return tap.error();
      taps_.push_back(*std::move(tap));
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = i;
      if (::epoll_ctl(events_.get(), EPOLL_CTL_ADD, taps_[i].get(), &event) != 0) {
        return Error{"lab", fmt::format("cannot watch a host: {}", std::strerror(errno)), ""};
      }
    }
    // Otherwise the last host's network would live as long as the router.
    if (::setns(home.get(), CLONE_NEWNET) != 0) return Error{"lab", "cannot leave a host", ""};
    be_punctual();
    return std::nullopt;
  }

  [[noreturn]] void run() {
    while (true) {
      wait();
      release();
    }
  }

 private:
  /// Where the system does not let us, frames are later by its scheduling, no more.
  static void be_punctual() {
    sched_param priority{};
    priority.sched_priority = 40;
    ::sched_setscheduler(0, SCHED_FIFO, &priority);
    ::prctl(PR_SET_TIMERSLACK, 1);
    // Only what is used: a build with sanitizers reserves terabytes.
    ::mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
  }

  void wait() {
    timespec span{};
    const auto due = waiting_.next_due();
    if (due) {
      const Instant left = std::max<Instant>(0, *due - now_ns());
      span = {left / 1'000'000'000, left % 1'000'000'000};
    }
    epoll_event ready[64];
    const int n = ::epoll_pwait2(events_.get(), ready, 64, due ? &span : nullptr, nullptr);
    for (int i = 0; i < n; ++i) take_from(ready[i].data.u64);
  }

  void take_from(std::size_t host) {
    for (int turn = 0; turn < kFramesInTurn; ++turn) {
      const ssize_t got = ::read(taps_[host].get(), buffer_.data(), buffer_.size());
      if (got <= 0) return;
      carry(host, FrameBytes(buffer_.data(), static_cast<std::size_t>(got)));
    }
  }

  void carry(std::size_t from, FrameBytes frame) {
    const auto read = read_frame(frame);
    if (!read || read->destination < plan_.hosts.front().address) return;
    const std::size_t to = read->destination - plan_.hosts.front().address;
    if (to >= plan_.hosts.size() || to == from) return;
    address_to(frame, mac_of_host(to));
    const Instant now = now_ns();
    Carried carried{std::make_unique<unsigned char[]>(frame.size()),
                    frame.size(),
                    to,
                    read->on_wire,
                    plan_.route(from, to),
                    {now, now, 0}};
    std::copy(frame.begin(), frame.end(), carried.bytes.get());
    const Instant due = carried.due();
    waiting_.push(due, std::move(carried));
  }

  void release() {
    RouterCell& cell = board_.router();
    for (auto due = waiting_.next_due(); due; due = waiting_.next_due()) {
      const Instant now = now_ns();
      auto frame = waiting_.pop(now);
      if (!frame) return;
      if (!frame->is_there()) {
        if (!network_.pass(frame->journey, frame->route, frame->on_wire)) continue;
        const Instant next = frame->due();
        waiting_.push(next, *std::move(frame));
        continue;
      }
      if (::write(taps_[frame->to].get(), frame->bytes.get(), frame->size) < 0) {
        cell.refused.fetch_add(1, kRelaxed);
      }
      const auto late = static_cast<std::uint64_t>(now - *due);
      cell.released.fetch_add(1, kRelaxed);
      cell.late_ns.fetch_add(late, kRelaxed);
      if (late > cell.latest_ns.load(kRelaxed)) cell.latest_ns.store(late, kRelaxed);
    }
  }

  const LabPlan& plan_;
  LinkBoard board_;
  EmulatedNetwork network_;
  std::vector<FileDescriptor> taps_;
  FileDescriptor events_;
  DelayQueue<Carried> waiting_;
  std::vector<unsigned char> buffer_;
};

}  // namespace

Expected<Starting> start_router(const StateFolder& folder, const LabPlan& plan,
                                std::span<const pid_t> holders) {
  auto board = LinkBoard::open(folder.links(), plan.links.size());
  if (!board) return board.error();
  // Shared by both steps of the process; the parent's copy is only memory.
  Router router(plan, *std::move(board));
  return start_daemon(
      "lab-router", folder.path, [&] { return router.open(folder, holders); },
      [&] { router.run(); });
}

}  // namespace espalier::lab
