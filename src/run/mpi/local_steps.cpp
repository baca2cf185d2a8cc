#include "mpi/local_steps.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <vector>

namespace espalier::mpi {

using schedule::Op;
using schedule::Operands;
using schedule::OpKind;
using schedule::Program;
using schedule::Region;

namespace {

struct Stretch {
  std::uint64_t offset;
  std::uint64_t length;
};

std::vector<Stretch> stretches_of(const Program& program, const Region& region) {
  std::vector<Stretch> all;
  for_each_stretch(program, region, [&](std::uint64_t offset, std::uint64_t length) {
    all.push_back({offset, length});
  });
  return all;
}

/// Calls work(from, to, length) for slices of equal length until it returns an error.
template <typename Work>
int pair_up(const Program& program, const Op& op, Work work) {
  const auto is_slice = [](const Region& r) { return r.outer.set == 0 && r.inner.set == 0; };
  if (is_slice(op.from) && is_slice(op.to)) {
    return op.from.length == 0 ? MPI_SUCCESS : work(op.from.offset, op.to.offset, op.from.length);
  }
  const std::vector<Stretch> from = stretches_of(program, op.from);
  const std::vector<Stretch> to = stretches_of(program, op.to);
  std::uint64_t from_done = 0, to_done = 0;
  for (std::size_t f = 0, t = 0; f < from.size() && t < to.size();) {
    const std::uint64_t length = std::min(from[f].length - from_done, to[t].length - to_done);
    const int code = work(from[f].offset + from_done, to[t].offset + to_done, length);
    if (code != MPI_SUCCESS) return code;
    from_done += length;
    to_done += length;
    if (from_done == from[f].length) ++f, from_done = 0;
    if (to_done == to[t].length) ++t, to_done = 0;
  }
  return MPI_SUCCESS;
}

/// A user's operation may be called in parts, never on parts of an element.
constexpr std::uint64_t kMostAtOnce = 1U << 16U;

int combine(const Layout& layout, MPI_Op op, const std::byte* from, std::byte* to,
            std::uint64_t count) {
  for (std::uint64_t done = 0; done < count;) {
    const auto now = std::min<std::uint64_t>(count - done, INT_MAX);
    const std::int64_t shift = static_cast<std::int64_t>(done) * layout.extent;
    const int code =
        PMPI_Reduce_local(from + shift, to + shift, static_cast<int>(now), layout.type, op);
    if (code != MPI_SUCCESS) return code;
    done += now;
  }
  return MPI_SUCCESS;
}

/// to = to op from. MPI writes the right operand only, so a copy of it is needed.
int combine_to_the_right(const Layout& layout, MPI_Op op, const std::byte* from, std::byte* to,
                         std::uint64_t count, const SelfLane& self) {
  const ElementMemory right(layout, std::min(count, kMostAtOnce));
  // Gaps of a page may not be the program's to read; shorter ones lie between data that is.
  constexpr std::int64_t kPage = 4096;
  const bool is_near = layout.extent >= 0 && layout.true_extent - layout.size < kPage &&
                       layout.extent - layout.size < kPage;
  for (std::uint64_t done = 0; done < count;) {
    const auto now = std::min(count - done, kMostAtOnce);
    const std::int64_t shift = static_cast<std::int64_t>(done) * layout.extent;
    const std::int64_t lowest = layout.lowest(now);
    int code = MPI_SUCCESS;
    if (is_near) {
      std::memcpy(right.address() + lowest, from + shift + lowest,
                  static_cast<std::size_t>(layout.span(now)));
    } else {
      code = copy_elements(layout, from + shift, right.address(), now, self);
    }
    if (code != MPI_SUCCESS) return code;
    code = PMPI_Reduce_local(to + shift, right.address(), static_cast<int>(now), layout.type, op);
    if (code == MPI_SUCCESS) code = copy_elements(layout, right.address(), to + shift, now, self);
    if (code != MPI_SUCCESS) return code;
    done += now;
  }
  return MPI_SUCCESS;
}

}  // namespace

int copy_elements(const Layout& layout, const std::byte* from, std::byte* to, std::uint64_t count,
                  const SelfLane& self) {
  if (from == to || count == 0) return MPI_SUCCESS;  // without elements both may be null
  if (layout.dense) {
    std::memmove(to + layout.true_lb, from + layout.true_lb,
                 count * static_cast<std::uint64_t>(layout.size));
    return MPI_SUCCESS;
  }
  for (std::uint64_t done = 0; done < count;) {
    const auto now = static_cast<int>(std::min<std::uint64_t>(count - done, kMostAtOnce));
    const std::int64_t shift = static_cast<std::int64_t>(done) * layout.extent;
    const int code =
        PMPI_Sendrecv(from + shift, now, layout.type, self.rank, self.tag, to + shift, now,
                      layout.type, self.rank, self.tag, self.comm, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return code;
    done += static_cast<std::uint64_t>(now);
  }
  return MPI_SUCCESS;
}

int run_local_step(const ElementBuffers& buffers, const Program& program, const Op& op,
                   const Reduction& reduction, const SelfLane& self) {
  const std::uint64_t per_element = buffers.units_per_element;
  return pair_up(program, op, [&](std::uint64_t f, std::uint64_t t, std::uint64_t units) {
    const std::byte* from = buffers.at(op.from.buffer, f);
    std::byte* to = buffers.at(op.to.buffer, t);
    const std::uint64_t count = units / per_element;
    if (op.kind == OpKind::Copy) return copy_elements(buffers.layout, from, to, count, self);
    if (op.operands == Operands::FromThenTo || reduction.exact) {
      return combine(buffers.layout, reduction.op, from, to, count);
    }
    return combine_to_the_right(buffers.layout, reduction.op, from, to, count, self);
  });
}

}  // namespace espalier::mpi
