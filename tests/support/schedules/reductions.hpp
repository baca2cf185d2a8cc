#pragma once

#include "support/schedules/make.hpp"

// Reductions without a root, written by hand for tests.

namespace espalier::test_schedules {

/// R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of collective communication operations in
/// MPICH", 2005: the even ones of the first 2 * rest ranks hand over to their neighbours, so that a
/// power of two is left. The lower half is on the left on both sides: all get the same bits, and
/// only runs of ranks are combined.
inline Schedule allreduce_recursive_doubling(const Collective& call) {
  return make_schedule(call, "recursive-doubling", [&](ProgramBuilder& b) {
    const Rank p = call.size;
    Rank power = 1;
    while (power * 2 <= p) power *= 2;
    const Rank rest = p - power;
    const Region in = slice(Buffer::In, 0, call.count);
    const Region out = slice(Buffer::Out, 0, call.count);
    const bool folded = b.rank() < 2 * rest;
    if (folded && b.rank() % 2 == 0) {
      b.send(b.rank() + 1, in, 0);
      b.recv(b.rank() + 1, out, 1);
      return;
    }
    b.copy(in, out);
    const auto combine_with = [&](Rank peer, std::uint32_t tag, Operands operands, bool both) {
      const Region theirs = slice(Buffer::Scratch, b.scratch(call.count), call.count);
      if (both) b.send(peer, out, tag);
      b.recv(peer, theirs, tag);
      b.reduce(theirs, out, operands);
    };
    if (folded) combine_with(b.rank() - 1, 0, Operands::FromThenTo, false);
    const Rank place = folded ? b.rank() / 2 : b.rank() - rest;
    std::uint32_t tag = 2;
    for (Rank bit = 1; bit < power; bit <<= 1) {
      const Rank other = place ^ bit;
      const Rank peer = other < rest ? 2 * other + 1 : other + rest;
      combine_with(peer, tag++, other < place ? Operands::FromThenTo : Operands::ToThenFrom, true);
    }
    if (folded) b.send(b.rank() - 1, out, 1);
  });
}

/// Reduce-scatter and allgather around the ring, P parts.
inline Schedule allreduce_ring(const Collective& call) {
  return make_schedule(call, "ring", [&](ProgramBuilder& b) {
    const Rank p = call.size;
    const Rank left = (b.rank() + p - 1) % p;
    const Rank right = (b.rank() + 1) % p;
    const auto part = [&](Rank s) { return part_of(Buffer::Out, call.count, s % p, p); };
    b.copy(slice(Buffer::In, 0, call.count), slice(Buffer::Out, 0, call.count));
    const std::uint64_t slots = b.scratch(2 * (call.count / p + 1));
    for (Rank step = 0; step + 1 < p; ++step) {
      const Region mine = part(b.rank() + p - step);
      const Region next = part(b.rank() + 2 * p - step - 1);
      const Region slot =
          slice(Buffer::Scratch, slots + step % 2 * (call.count / p + 1), next.length);
      b.send(right, mine, step);
      b.recv(left, slot, step);
      b.reduce(slot, next, Operands::FromThenTo);
    }
    for (Rank step = 0; step + 1 < p; ++step) {
      b.send(right, part(b.rank() + 1 + p - step), p + step);
      b.recv(left, part(b.rank() + p - step), p + step);
    }
  });
}

/// To rank 0 along the ranks, and back.
inline Schedule allreduce_chain(const Collective& call) {
  return make_schedule(call, "chain", [&](ProgramBuilder& b) {
    const Region out = slice(Buffer::Out, 0, call.count);
    b.copy(slice(Buffer::In, 0, call.count), out);
    if (b.rank() + 1 < call.size) {
      const Region theirs = slice(Buffer::Scratch, b.scratch(call.count), call.count);
      b.recv(b.rank() + 1, theirs);
      b.reduce(theirs, out, Operands::ToThenFrom);
    }
    if (b.rank() > 0) {
      b.send(b.rank() - 1, out);
      b.recv(b.rank() - 1, out);
    }
    if (b.rank() + 1 < call.size) b.send(b.rank() + 1, out);
  });
}

/// Each block goes around the ring and ends at its rank. Commutative.
inline Schedule reduce_scatter_ring(const Collective& call) {
  return make_schedule(call, "ring", [&](ProgramBuilder& b) {
    const Rank p = call.size;
    const Region sum = block_of(call, Buffer::Scratch, 0);
    const Region next = block_of(call, Buffer::Scratch, 1);
    b.scratch(2 * call.block());
    b.copy(block_of(call, Buffer::In, (b.rank() + p - 1) % p), sum);
    for (Rank step = 1; step < p; ++step) {
      b.send((b.rank() + 1) % p, sum, step);
      b.recv((b.rank() + p - 1) % p, next, step);
      b.copy(next, sum);
      b.reduce(block_of(call, Buffer::In, (b.rank() + 2 * p - 1 - step) % p), sum,
               Operands::ToThenFrom);
    }
    b.copy(sum, block_of(call, Buffer::Out, 0));
  });
}

/// Everyone sends each block to its rank, which combines in rank order.
inline Schedule reduce_scatter_direct(const Collective& call) {
  return make_schedule(call, "direct", [&](ProgramBuilder& b) {
    const IndexSet others = all_but(call.size, b.rank());
    b.scratch(call.size * call.block());
    b.recv_each(others, block_of(call, Buffer::Scratch, 0), call.block(), 0);
    b.send_each(others, block_of(call, Buffer::In, 0), call.block(), 0);
    b.copy(block_of(call, Buffer::In, b.rank()), block_of(call, Buffer::Scratch, b.rank()));
    b.copy(block_of(call, Buffer::Scratch, 0), block_of(call, Buffer::Out, 0));
    for (Rank r = 1; r < call.size; ++r) {
      b.reduce(block_of(call, Buffer::Scratch, r), block_of(call, Buffer::Out, 0),
               Operands::ToThenFrom);
    }
  });
}

/// Scan or exscan: along the ranks, in two segments.
inline Schedule scan_chain(const Collective& call) {
  const bool inclusive = call.operation == Operation::Scan;
  return make_schedule(call, "chain", [&](ProgramBuilder& b) {
    const std::uint64_t scratch = b.scratch(call.count);
    for (std::uint32_t s = 0; s < 2; ++s) {
      const Region in = part_of(Buffer::In, call.count, s, 2);
      const Region out = part_of(Buffer::Out, call.count, s, 2);
      Region sum = out;
      if (!inclusive) {
        sum = in;  // of rank 0 .. me
        sum.buffer = Buffer::Scratch;
        sum.offset += scratch;
      }
      if (b.rank() > 0 && !inclusive) b.recv(b.rank() - 1, out, s);
      b.copy(in, sum);
      if (b.rank() > 0 && inclusive) {
        const Region before = slice(Buffer::Scratch, b.scratch(in.length), in.length);
        b.recv(b.rank() - 1, before, s);
        b.reduce(before, sum, Operands::FromThenTo);
      } else if (b.rank() > 0) {
        b.reduce(out, sum, Operands::FromThenTo);
      }
      if (b.rank() + 1 < call.size) b.send(b.rank() + 1, sum, s);
    }
  });
}

/// W. D. Hillis, G. Steele: "Data parallel algorithms", CACM 1986: after step k a rank has the
/// 2^(k+1) ranks that end with it.
inline Schedule scan_doubling(const Collective& call) {
  const bool inclusive = call.operation == Operation::Scan;
  return make_schedule(call, "doubling", [&](ProgramBuilder& b) {
    const Region in = slice(Buffer::In, 0, call.count);
    const Region out = slice(Buffer::Out, 0, call.count);
    const auto more = [&] { return slice(Buffer::Scratch, b.scratch(call.count), call.count); };
    const Region sum = inclusive ? out : more();  // of the ranks that end with me
    b.copy(in, sum);
    std::uint32_t tag = 0;
    for (Rank bit = 1; bit < call.size; bit <<= 1, ++tag) {
      if (b.rank() + bit < call.size) b.send(b.rank() + bit, sum, tag);
      if (b.rank() < bit) continue;
      const Region before = more();
      b.recv(b.rank() - bit, before, tag);
      if (!inclusive && bit == 1) b.copy(before, out);
      if (!inclusive && bit != 1) b.reduce(before, out, Operands::FromThenTo);
      b.reduce(before, sum, Operands::FromThenTo);
    }
  });
}

}  // namespace espalier::test_schedules
