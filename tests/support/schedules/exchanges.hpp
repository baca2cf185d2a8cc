#pragma once

#include <algorithm>

#include "support/schedules/make.hpp"

// Barriers, allgathers and alltoalls, written by hand for tests.

namespace espalier::test_schedules {

inline Schedule barrier_dissemination(const Collective& call) {
  return make_schedule(call, "dissemination", [&](ProgramBuilder& b) {
    std::uint32_t round = 0;
    for (Rank step = 1; step < call.size; step <<= 1, ++round) {
      b.send((b.rank() + step) % call.size, {}, round);
      b.recv((b.rank() + call.size - step) % call.size, {}, round);
      b.fence();
    }
  });
}

/// All tell rank 0, rank 0 tells all.
inline Schedule barrier_central(const Collective& call) {
  return make_schedule(call, "central", [&](ProgramBuilder& b) {
    if (b.rank() == 0) {
      b.recv_each(all_but(call.size, 0), {}, 0, 0);
      b.fence();
      b.send_each(all_but(call.size, 0), {}, 0, 0);
    } else {
      b.send(0, {}, 0);
      b.fence();
      b.recv(0, {}, 0);
    }
  });
}

/// Up and down the binomial tree of rank 0.
inline Schedule barrier_tree(const Collective& call) {
  return make_schedule(call, "tree", [&](ProgramBuilder& b) {
    Rank bit = 1;
    for (; bit < call.size && (b.rank() & bit) == 0; bit <<= 1) {
      if (b.rank() + bit < call.size) b.recv(b.rank() + bit, {}, 0);
    }
    b.fence();
    if (b.rank() != 0) {
      b.send(b.rank() - bit, {}, 0);
      b.fence();
      b.recv(b.rank() - bit, {}, 0);
      b.fence();
    }
    for (bit >>= 1; bit > 0; bit >>= 1) {
      if (b.rank() + bit < call.size) b.send(b.rank() + bit, {}, 0);
    }
  });
}

inline Schedule allgather_ring(const Collective& call) {
  return make_schedule(call, "ring", [&](ProgramBuilder& b) {
    const Rank p = call.size;
    b.copy(block_of(call, Buffer::In, 0), block_of(call, Buffer::Out, b.rank()));
    for (Rank step = 0; step + 1 < p; ++step) {
      b.send((b.rank() + 1) % p, block_of(call, Buffer::Out, (b.rank() + p - step) % p), step);
      b.recv((b.rank() + p - 1) % p, block_of(call, Buffer::Out, (b.rank() + 2 * p - step - 1) % p),
             step);
    }
  });
}

inline Schedule allgather_direct(const Collective& call) {
  return make_schedule(call, "direct", [&](ProgramBuilder& b) {
    const IndexSet others = all_but(call.size, b.rank());
    b.copy(block_of(call, Buffer::In, 0), block_of(call, Buffer::Out, b.rank()));
    b.recv_each(others, block_of(call, Buffer::Out, 0), call.block(), 0);
    b.send_each(others, block_of(call, Buffer::In, 0), 0, 0);
  });
}

/// J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby: "Efficient algorithms for all-to-all
/// communications in multiport message-passing systems", IEEE TPDS 1997: block i of scratch is that
/// of the i-th rank from here.
inline Schedule allgather_bruck(const Collective& call) {
  return make_schedule(call, "bruck", [&](ProgramBuilder& b) {
    const Rank p = call.size;
    b.scratch(p * call.block());
    b.copy(block_of(call, Buffer::In, 0), block_of(call, Buffer::Scratch, 0));
    std::uint32_t tag = 0;
    for (Rank step = 1; step < p; step <<= 1, ++tag) {
      const Rank blocks = std::min(step, p - step);
      b.send((b.rank() + p - step) % p, block_of(call, Buffer::Scratch, 0, blocks), tag);
      b.recv((b.rank() + step) % p, block_of(call, Buffer::Scratch, step, blocks), tag);
    }
    const Rank tail = p - b.rank();
    b.copy(block_of(call, Buffer::Scratch, 0, tail), block_of(call, Buffer::Out, b.rank(), tail));
    b.copy(block_of(call, Buffer::Scratch, tail, b.rank()),
           block_of(call, Buffer::Out, 0, b.rank()));
  });
}

inline Schedule alltoall_pairwise(const Collective& call) {
  return make_schedule(call, "pairwise", [&](ProgramBuilder& b) {
    const Rank p = call.size;
    b.copy(block_of(call, Buffer::In, b.rank()), block_of(call, Buffer::Out, b.rank()));
    for (Rank step = 1; step < p; ++step) {
      const Rank to = (b.rank() + step) % p;
      const Rank from = (b.rank() + p - step) % p;
      b.send(to, block_of(call, Buffer::In, to), 0);
      b.recv(from, block_of(call, Buffer::Out, from), 0);
    }
  });
}

/// All at once: one op for all messages.
inline Schedule alltoall_direct(const Collective& call) {
  return make_schedule(call, "direct", [&](ProgramBuilder& b) {
    const IndexSet others = all_but(call.size, b.rank());
    b.recv_each(others, block_of(call, Buffer::Out, 0), call.block(), 0);
    b.send_each(others, block_of(call, Buffer::In, 0), call.block(), 0);
    b.copy(block_of(call, Buffer::In, b.rank()), block_of(call, Buffer::Out, b.rank()));
  });
}

/// Bruck et al. (see above): in round k the blocks whose distance to go has bit k move 2^k ranks.
inline Schedule alltoall_bruck(const Collective& call) {
  return make_schedule(call, "bruck", [&](ProgramBuilder& b) {
    const Rank p = call.size;
    const std::uint64_t n = call.block();
    b.scratch(2 * p * n);
    const Rank tail = p - b.rank();
    b.copy(block_of(call, Buffer::In, b.rank(), tail), block_of(call, Buffer::Scratch, 0, tail));
    b.copy(block_of(call, Buffer::In, 0, b.rank()),
           block_of(call, Buffer::Scratch, tail, b.rank()));
    std::uint32_t tag = 0;
    for (Rank step = 1; step < p; step <<= 1, ++tag) {
      std::vector<std::uint32_t> moving;
      for (Rank i = 0; i < p; ++i) {
        if ((i & step) != 0) moving.push_back(i);
      }
      Region there = slice(Buffer::Scratch, 0, n);
      there.outer = {b.set(IndexSet(std::span<const std::uint32_t>(moving))), n};
      const Region arrived = block_of(call, Buffer::Scratch, p, moving.size());
      b.send((b.rank() + step) % p, there, tag);
      b.recv((b.rank() + p - step) % p, arrived, tag);
      b.copy(arrived, there);
    }
    for (Rank i = 0; i < p; ++i) {
      b.copy(block_of(call, Buffer::Scratch, i),
             block_of(call, Buffer::Out, (b.rank() + p - i) % p));
    }
  });
}

/// Two halves of the ranks as clusters: everyone hands all it has for the other half to its master,
/// which sends one bundle to the other master, which hands out.
inline Schedule alltoall_by_masters(const Collective& call) {
  return make_schedule(call, "masters", [&](ProgramBuilder& b) {
    const Rank p = call.size;
    const std::uint64_t n = call.block();
    const Rank cut = (p + 1) / 2;  // ranks 0 .. cut-1 and cut .. p-1
    const bool low = b.rank() < cut;
    const Rank master = low ? 0 : cut, other_master = low ? cut : 0;
    const Rank begin = low ? 0 : cut, mine = low ? cut : p - cut;
    const Rank far = low ? cut : 0, theirs = p - mine;
    b.copy(block_of(call, Buffer::In, b.rank()), block_of(call, Buffer::Out, b.rank()));
    for (Rank r = begin; r < begin + mine; ++r) {
      if (r == b.rank()) continue;
      b.send(r, block_of(call, Buffer::In, r), 0);
      b.recv(r, block_of(call, Buffer::Out, r), 0);
    }
    if (theirs == 0) return;
    const Region for_far = block_of(call, Buffer::In, far, theirs);
    const Region from_far = block_of(call, Buffer::Out, far, theirs);
    if (b.rank() != master) {
      b.send(master, for_far, 1);
      b.recv(master, from_far, 2);
      return;
    }
    // up: [of mine][to theirs]; down: [of theirs][to mine]
    const std::uint64_t up = b.scratch(std::uint64_t{mine} * theirs * n);
    const std::uint64_t down = b.scratch(std::uint64_t{mine} * theirs * n);
    for (Rank i = 0; i < mine; ++i) {
      const Region row = slice(Buffer::Scratch, up + std::uint64_t{i} * theirs * n, theirs * n);
      if (begin + i == b.rank()) {
        b.copy(for_far, row);
      } else {
        b.recv(begin + i, row, 1);
      }
    }
    b.send(other_master, slice(Buffer::Scratch, up, std::uint64_t{mine} * theirs * n), 3);
    b.recv(other_master, slice(Buffer::Scratch, down, std::uint64_t{mine} * theirs * n), 3);
    for (Rank i = 0; i < mine; ++i) {
      Region column = slice(Buffer::Scratch, down + i * n, n);
      column.outer = {b.set(IndexSet::range(0, theirs)), mine * n};
      if (begin + i == b.rank()) {
        b.copy(column, from_far);
      } else {
        b.send(begin + i, column, 2);
      }
    }
  });
}

}  // namespace espalier::test_schedules
