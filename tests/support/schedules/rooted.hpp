#pragma once

#include <algorithm>

#include "support/schedules/make.hpp"

// Schedules from and to a root, written by hand for tests. They are short, not fast.

namespace espalier::test_schedules {

inline Schedule broadcast_flat(const Collective& call) {
  return make_schedule(call, "flat", [&](ProgramBuilder& b) {
    const Region all = slice(Buffer::Out, 0, call.count);
    if (b.rank() == call.root) {
      b.send_each(all_but(call.size, call.root), all, 0, 0);
    } else {
      b.recv(call.root, all, 0);
    }
  });
}

inline Schedule broadcast_chain(const Collective& call, std::uint32_t segments) {
  return make_schedule(call, "chain", [&](ProgramBuilder& b) {
    const Rank place = (b.rank() + call.size - call.root) % call.size;
    const Rank before = (b.rank() + call.size - 1) % call.size;
    const Rank after = (b.rank() + 1) % call.size;
    for (std::uint32_t s = 0; s < segments; ++s) {
      const Region part = part_of(Buffer::Out, call.count, s, segments);
      if (place > 0) b.recv(before, part, s);
      if (place + 1 < call.size) b.send(after, part, s);
    }
  });
}

inline Schedule broadcast_binomial(const Collective& call) {
  return make_schedule(call, "binomial", [&](ProgramBuilder& b) {
    const Rank place = (b.rank() + call.size - call.root) % call.size;
    const Region all = slice(Buffer::Out, 0, call.count);
    Rank bit = 1;
    while (bit < call.size && (place & bit) == 0) bit <<= 1;
    if (place != 0) b.recv((b.rank() + call.size - bit) % call.size, all, 0);
    for (bit >>= 1; bit > 0; bit >>= 1) {
      if (place + bit < call.size) b.send((b.rank() + bit) % call.size, all, 0);
    }
  });
}

/// All inputs to the root, combined there in rank order.
inline Schedule reduce_flat(const Collective& call) {
  return make_schedule(call, "flat", [&](ProgramBuilder& b) {
    const std::uint64_t n = call.count;
    if (b.rank() != call.root) {
      b.send(call.root, slice(Buffer::In, 0, n), 0);
      return;
    }
    const std::uint64_t all = b.scratch(n * call.size);
    b.recv_each(all_but(call.size, call.root), slice(Buffer::Scratch, all, n), n, 0);
    b.copy(slice(Buffer::In, 0, n), slice(Buffer::Scratch, all + n * call.root, n));
    b.copy(slice(Buffer::Scratch, all, n), slice(Buffer::Out, 0, n));
    for (Rank r = 1; r < call.size; ++r) {
      b.reduce(slice(Buffer::Scratch, all + n * r, n), slice(Buffer::Out, 0, n),
               Operands::ToThenFrom);
    }
  });
}

/// The binomial tree of rank 0, whose sub-trees are runs of ranks; the result then goes to the
/// root. Right for operations that do not commute.
inline Schedule reduce_binomial(const Collective& call) {
  return make_schedule(call, "binomial", [&](ProgramBuilder& b) {
    const Region own = slice(Buffer::Scratch, b.scratch(call.count), call.count);
    const Region in = slice(Buffer::In, 0, call.count);
    const Region out = slice(Buffer::Out, 0, call.count);
    b.copy(in, own);
    Rank bit = 1;
    for (; bit < call.size && (b.rank() & bit) == 0; bit <<= 1) {
      if (b.rank() + bit >= call.size) continue;
      const Region theirs = slice(Buffer::Scratch, b.scratch(call.count), call.count);
      b.recv(b.rank() + bit, theirs, 0);
      b.reduce(theirs, own, Operands::ToThenFrom);
    }
    if (b.rank() != 0) b.send(b.rank() - bit, own, 0);
    if (b.rank() == 0 && call.root == 0) b.copy(own, out);
    if (b.rank() == 0 && call.root != 0) b.send(call.root, own, 1);
    if (b.rank() == call.root && call.root != 0) b.recv(0, out, 1);
  });
}

/// Along the ring to the root, in segments through two slots of scratch. Needs commutativity unless
/// the root is the last rank.
inline Schedule reduce_chain(const Collective& call, std::uint32_t segments) {
  return make_schedule(call, "chain", [&](ProgramBuilder& b) {
    const Rank first = (call.root + 1) % call.size;
    const std::uint64_t most = call.count / segments + 1;
    const std::uint64_t slots = b.scratch(2 * most);
    for (std::uint32_t s = 0; s < segments; ++s) {
      const Region in = part_of(Buffer::In, call.count, s, segments);
      const bool at_root = b.rank() == call.root;
      const Region sum = at_root ? part_of(Buffer::Out, call.count, s, segments)
                                 : slice(Buffer::Scratch, slots + s % 2 * most, in.length);
      if (b.rank() == first) {
        b.copy(in, sum);
      } else {
        b.recv((b.rank() + call.size - 1) % call.size, sum, s);
        b.reduce(in, sum, Operands::ToThenFrom);
      }
      if (!at_root) b.send((b.rank() + 1) % call.size, sum, s);
    }
  });
}

inline Schedule gather_flat(const Collective& call) {
  return make_schedule(call, "flat", [&](ProgramBuilder& b) {
    const Region in = block_of(call, Buffer::In, 0);
    if (b.rank() != call.root) {
      b.send(call.root, in, 0);
      return;
    }
    b.recv_each(all_but(call.size, call.root), block_of(call, Buffer::Out, 0), call.block(), 0);
    b.copy(in, block_of(call, Buffer::Out, call.root));
  });
}

inline Schedule scatter_flat(const Collective& call) {
  return make_schedule(call, "flat", [&](ProgramBuilder& b) {
    const Region out = block_of(call, Buffer::Out, 0);
    if (b.rank() != call.root) {
      b.recv(call.root, out, 0);
      return;
    }
    b.send_each(all_but(call.size, call.root), block_of(call, Buffer::In, 0), call.block(), 0);
    b.copy(block_of(call, Buffer::In, call.root), out);
  });
}

/// Blocks of a sub-tree of the binomial tree, counted from the root, wait in scratch.
inline Schedule gather_binomial(const Collective& call) {
  return make_schedule(call, "binomial", [&](ProgramBuilder& b) {
    const Rank p = call.size;
    const Rank place = (b.rank() + p - call.root) % p;
    Rank bit = 1;
    while (bit < p && (place & bit) == 0) bit <<= 1;
    const Rank mine = std::min(bit, p - place);  // blocks of my sub-tree
    b.scratch(mine * call.block());
    b.copy(block_of(call, Buffer::In, 0), block_of(call, Buffer::Scratch, 0));
    for (Rank step = 1; step < bit; step <<= 1) {
      if (place + step >= p) break;
      b.recv((b.rank() + step) % p,
             block_of(call, Buffer::Scratch, step, std::min(step, p - place - step)), 0);
    }
    if (place != 0) {
      b.send((b.rank() + p - bit) % p, block_of(call, Buffer::Scratch, 0, mine), 0);
      return;
    }
    const Rank tail = p - call.root;  // of the blocks, those of ranks root .. p-1 come first
    b.copy(block_of(call, Buffer::Scratch, 0, tail), block_of(call, Buffer::Out, call.root, tail));
    b.copy(block_of(call, Buffer::Scratch, tail, call.root),
           block_of(call, Buffer::Out, 0, call.root));
  });
}

inline Schedule scatter_binomial(const Collective& call) {
  return make_schedule(call, "binomial", [&](ProgramBuilder& b) {
    const Rank p = call.size;
    const Rank place = (b.rank() + p - call.root) % p;
    Rank bit = 1;
    while (bit < p && (place & bit) == 0) bit <<= 1;
    const Rank mine = std::min(bit, p - place);
    b.scratch(mine * call.block());
    if (place == 0) {
      const Rank tail = p - call.root;
      b.copy(block_of(call, Buffer::In, call.root, tail), block_of(call, Buffer::Scratch, 0, tail));
      b.copy(block_of(call, Buffer::In, 0, call.root),
             block_of(call, Buffer::Scratch, tail, call.root));
    } else {
      b.recv((b.rank() + p - bit) % p, block_of(call, Buffer::Scratch, 0, mine), 0);
    }
    for (Rank step = bit >> 1; step > 0; step >>= 1) {
      if (place + step >= p) continue;
      b.send((b.rank() + step) % p,
             block_of(call, Buffer::Scratch, step, std::min(step, p - place - step)), 0);
    }
    b.copy(block_of(call, Buffer::Scratch, 0), block_of(call, Buffer::Out, 0));
  });
}

}  // namespace espalier::test_schedules
