#include "shared/fold.hpp"

#include <algorithm>
#include <functional>
#include <type_traits>

namespace espalier::shared {
namespace {

/// Bytes that are combined at a time: they stay in the nearest cache.
constexpr std::uint64_t kBlock = 4096;

// Comparisons as MPI_Reduce_local has them, also for NaN: neither is greater, so the first stays.
struct Greater {
  template <typename T>
  T operator()(T a, T b) const {
    return b > a ? b : a;
  }
};
struct Less {
  template <typename T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
/// Signed numbers wrap around, as they do in MPI libraries.
template <typename Of>
struct Wrapping {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(Of{}(static_cast<U>(a), static_cast<U>(b)));
    } else {
      return Of{}(a, b);
    }
  }
};

template <typename T, typename Op>
void pass(const T* __restrict first, const T* second, T* out, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) out[i] = Op{}(first[i], second[i]);
}

template <typename T, typename Op>
class Loop : public Combine {
 public:
  void fold(std::span<const std::byte* const> inputs, std::byte* out,
            std::uint64_t bytes) const override {
    const std::size_t last = inputs.size() - 1;
    if (last == 0) {
      std::copy_n(inputs[0], bytes, out);
      return;
    }
    for (std::uint64_t at = 0; at < bytes; at += kBlock) {
      const std::uint64_t count = std::min(kBlock, bytes - at) / sizeof(T);
      T* const to = reinterpret_cast<T*>(out + at);
      pass<T, Op>(in(inputs[last - 1], at), in(inputs[last], at), to, count);
      for (std::size_t i = last - 1; i-- > 0;) pass<T, Op>(in(inputs[i], at), to, to, count);
    }
  }

 private:
  static const T* in(const std::byte* input, std::uint64_t at) {
    return reinterpret_cast<const T*>(input + at);
  }
};

template <typename T>
const Combine* loop_of(Arithmetic arithmetic) {
  static const Loop<T, Wrapping<std::plus<>>> sum;
  static const Loop<T, Wrapping<std::multiplies<>>> product;
  static const Loop<T, Greater> max;
  static const Loop<T, Less> min;
  switch (arithmetic) {
    case Arithmetic::Sum:
      return &sum;
    case Arithmetic::Product:
      return &product;
    case Arithmetic::Max:
      return &max;
    case Arithmetic::Min:
      return &min;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    static const Loop<T, std::bit_and<>> bit_and;
    static const Loop<T, std::bit_or<>> bit_or;
    static const Loop<T, std::bit_xor<>> bit_xor;
    if (arithmetic == Arithmetic::BitAnd) return &bit_and;
    if (arithmetic == Arithmetic::BitOr) return &bit_or;
    if (arithmetic == Arithmetic::BitXor) return &bit_xor;
  }
  return nullptr;
}

}  // namespace

const Combine* combine_of(Kind kind, Arithmetic arithmetic) {
  switch (kind) {
    case Kind::Int32:
      return loop_of<std::int32_t>(arithmetic);
    case Kind::Int64:
      return loop_of<std::int64_t>(arithmetic);
    case Kind::UInt32:
      return loop_of<std::uint32_t>(arithmetic);
    case Kind::UInt64:
      return loop_of<std::uint64_t>(arithmetic);
    case Kind::Float:
      return loop_of<float>(arithmetic);
    case Kind::Double:
      return loop_of<double>(arithmetic);
  }
  return nullptr;
}

void CombinePairs::fold(std::span<const std::byte* const> inputs, std::byte* out,
                        std::uint64_t bytes) const {
  const std::uint64_t block = std::max(kBlock / element_, std::uint64_t{1}) * element_;
  for (std::uint64_t at = 0; at < bytes; at += block) {
    const std::uint64_t length = std::min(block, bytes - at);
    std::copy_n(inputs.back() + at, length, out + at);
    for (std::size_t i = inputs.size() - 1; i-- > 0;) pair_(inputs[i] + at, out + at, length);
  }
}

}  // namespace espalier::shared
