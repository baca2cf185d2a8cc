#include "base/entropy.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

#include "base/random.hpp"

namespace espalier {

std::uint64_t fresh_number() noexcept {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) == ssize_t{sizeof number}) return number;
  static constinit std::atomic<std::uint64_t> count{0};
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  Random mixed(static_cast<std::uint64_t>(now) + count.fetch_add(1));
  return mixed.next() ^ Random(static_cast<std::uint64_t>(::getpid())).next() ^
         Random(reinterpret_cast<std::uintptr_t>(&number)).next();
}

}  // namespace espalier
