#pragma once

#include "runtime/prepared.hpp"

namespace espalier::runtime {

/// The same program for calls with `to` units a block instead of `from`: all that is counted in
/// units grows by one factor. O(steps), without a new program.
/// @pre it cuts no block: every offset, stride and length is a multiple of `from`
void rescale(PreparedProgram& prepared, std::uint64_t from, std::uint64_t to);

}  // namespace espalier::runtime
