#include "runtime/shared_call.hpp"

#include <numeric>

#include "select/chooser.hpp"

namespace espalier::runtime {

CallClass class_of(const SharedCall& call) {
  std::uint64_t elements = call.count;
  if (!call.counts.empty()) {
    elements = std::accumulate(call.counts.begin(), call.counts.end(), std::uint64_t{0}) /
               call.counts.size();
  }
  return {call.operation,   call.root,      select::size_class(Bytes{elements * call.element}),
          call.commutative, call.irregular, !call.counts.empty(),
          call.gaps};
}

schedule::Collective collective_of(const SharedCall& call, Rank size) {
  schedule::Collective result{
      call.operation,   size,       call.root, call.count, Bytes{call.element},
      call.commutative, call.counts};
  if (call.irregular && call.counts.empty()) result.counts.assign(size, call.count);
  return result;
}

}  // namespace espalier::runtime
