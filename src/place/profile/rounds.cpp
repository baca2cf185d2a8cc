#include "profile/rounds.hpp"

#include <algorithm>
#include <bit>

namespace espalier::profile {
namespace {

using schedule::Operation;

constexpr std::uint64_t kLeastApart = 256;  ///< alltoall: Bruck's algorithm for shorter blocks

/// One process's part, in ranks of the communicator.
struct Part {
  Rank me;
  Rank size;
  Rank root;
  std::uint64_t bytes;
  const std::function<void(bool, Rank, std::uint64_t)>& message;

  void send(Rank to, std::uint64_t n) const { message(true, to, n); }
  void recv(Rank from, std::uint64_t n) const { message(false, from, n); }
  void exchange(Rank with, std::uint64_t n) const {
    send(with, n);
    recv(with, n);
  }
  [[nodiscard]] Rank relative() const { return (me + size - root) % size; }
  [[nodiscard]] Rank absolute(Rank r) const { return (r + root) % size; }
};

/// The processes of the binomial subtree that is rooted at relative rank v and hangs by bit `bit`.
Rank subtree(Rank v, Rank bit, Rank size) { return std::min(bit, size - v); }

/// From the root down; `blocks`: each process gets its own and those of its subtree.
void binomial_down(const Part& part, bool blocks) {
  const Rank v = part.relative();
  const auto weight = [&](Rank child, Rank bit) {
    return blocks ? part.bytes * subtree(child, bit, part.size) : part.bytes;
  };
  const Rank lowest = v == 0 ? std::bit_ceil(part.size) : (v & (~v + 1));
  if (v != 0) part.recv(part.absolute(v - lowest), weight(v, lowest));
  for (Rank bit = lowest >> 1; bit > 0; bit >>= 1) {
    if (v + bit < part.size) part.send(part.absolute(v + bit), weight(v + bit, bit));
  }
}

void binomial_up(const Part& part, bool blocks) {
  const Rank v = part.relative();
  const auto weight = [&](Rank child, Rank bit) {
    return blocks ? part.bytes * subtree(child, bit, part.size) : part.bytes;
  };
  const Rank lowest = v == 0 ? std::bit_ceil(part.size) : (v & (~v + 1));
  for (Rank bit = 1; bit < lowest; bit <<= 1) {
    if (v + bit < part.size) part.recv(part.absolute(v + bit), weight(v + bit, bit));
  }
  if (v != 0) part.send(part.absolute(v - lowest), weight(v, lowest));
}

/// What the processes of a power of two do among themselves; those beyond it hand over to a
/// neighbour and hear the result.
template <typename Rounds>
void folded(const Part& part, Rounds rounds) {
  const Rank power = std::bit_floor(part.size);
  const Rank rest = part.size - power;
  if (part.me >= power) {
    part.send(part.me - power, part.bytes);
    part.recv(part.me - power, part.bytes);
    return;
  }
  if (part.me < rest) part.recv(part.me + power, part.bytes);
  rounds(power);
  if (part.me < rest) part.send(part.me + power, part.bytes);
}

void doubling(const Part& part) {
  folded(part, [&](Rank power) {
    for (Rank bit = 1; bit < power; bit <<= 1) part.exchange(part.me ^ bit, part.bytes);
  });
}

/// Half of the vector with the nearest, a quarter with the next; and back again.
void rabenseifner(const Part& part) {
  folded(part, [&](Rank power) {
    const auto piece = [&](Rank bit) { return part.bytes / (2 * std::uint64_t{bit}); };
    for (Rank bit = 1; bit < power; bit <<= 1) part.exchange(part.me ^ bit, piece(bit));
    for (Rank bit = power >> 1; bit > 0; bit >>= 1) part.exchange(part.me ^ bit, piece(bit));
  });
}

/// J. Bruck et al., "Efficient algorithms for all-to-all communications", IEEE TPDS 1997: in round
/// k all blocks whose distance has bit k.
void bruck(const Part& part) {
  for (Rank bit = 1; bit < part.size; bit <<= 1) {
    std::uint64_t blocks = 0;
    for (Rank i = 0; i < part.size; ++i) blocks += (i & bit) != 0 ? 1 : 0;
    part.send((part.me + bit) % part.size, blocks * part.bytes);
    part.recv((part.me + part.size - bit) % part.size, blocks * part.bytes);
  }
}

void all_at_once(const Part& part) {
  for (Rank distance = 1; distance < part.size; ++distance) {
    part.send((part.me + distance) % part.size, part.bytes);
  }
  for (Rank distance = 1; distance < part.size; ++distance) {
    part.recv((part.me + part.size - distance) % part.size, part.bytes);
  }
}

void dissemination(const Part& part) {
  for (Rank distance = 1; distance < part.size; distance <<= 1) {
    part.send((part.me + distance) % part.size, 0);
    part.recv((part.me + part.size - distance) % part.size, 0);
  }
}

void ring(const Part& part) {
  for (Rank round = 1; round < part.size; ++round) {
    part.send((part.me + 1) % part.size, part.bytes);
    part.recv((part.me + part.size - 1) % part.size, part.bytes);
  }
}

void pairwise(const Part& part) {
  for (Rank distance = 1; distance < part.size; ++distance) {
    part.send((part.me + distance) % part.size, part.bytes);
    part.recv((part.me + part.size - distance) % part.size, part.bytes);
  }
}

void alltoall(const Part& part) {
  if (part.bytes < kLeastApart && part.size >= 8) return bruck(part);
  if (part.bytes < 32768) return all_at_once(part);
  pairwise(part);
}

void chain(const Part& part) {
  if (part.me > 0) part.recv(part.me - 1, part.bytes);
  if (part.me + 1 < part.size) part.send(part.me + 1, part.bytes);
}

void run(const Part& part, Operation operation) {
  switch (operation) {
    case Operation::Broadcast:
      return binomial_down(part, false);
    case Operation::Scatter:
      return binomial_down(part, true);
    case Operation::Reduce:
      return binomial_up(part, false);
    case Operation::Gather:
      return binomial_up(part, true);
    case Operation::Allreduce:
      return part.bytes > 2048 ? rabenseifner(part) : doubling(part);
    case Operation::Barrier:
      return dissemination(part);
    case Operation::Allgather:
      return ring(part);
    case Operation::Alltoall:
      return alltoall(part);
    case Operation::ReduceScatter:
      return pairwise(part);
    case Operation::Scan:
    case Operation::Exscan:
      return chain(part);
    case Operation::Unknown:
    case Operation::NeighbourAllgather:
    case Operation::NeighbourAlltoall:
      return;
  }
}

}  // namespace

void for_each_message(const Profile& profile, const Action& collective, Rank rank,
                      const Message& message) {
  const std::vector<Rank>& members = profile.communicators[collective.communicator];
  const bool is_world = collective.communicator == 0;
  const auto place_of = [&](Rank r) {
    if (is_world) return r;
    const auto it = std::find(members.begin(), members.end(), r);
    return static_cast<Rank>(it - members.begin());
  };
  const auto size = static_cast<Rank>(members.size());
  const Rank me = place_of(rank);
  const Rank root = place_of(collective.peer);
  if (me >= size) return;
  const Message to_world = [&](bool is_send, Rank peer, std::uint64_t bytes) {
    message(is_send, members[peer], bytes);
  };
  run({me, size, root < size ? root : 0, collective.bytes, to_world}, collective.operation);
}

std::uint64_t mean_block_of_alltoall(std::uint64_t sum, std::uint64_t members) {
  return std::max(kLeastApart, sum / members);
}

std::uint64_t messages_at_most(Operation operation, std::uint64_t members) {
  switch (operation) {
    case Operation::Allgather:
    case Operation::Alltoall:
    case Operation::ReduceScatter:
      return 2 * members;
    default:
      return 4 * static_cast<std::uint64_t>(std::bit_width(members)) + 4;
  }
}

}  // namespace espalier::profile
