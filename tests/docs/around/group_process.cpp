// Around code inside src/groups/group.
#include "group/combine.hpp"
#include "group/group.hpp"
#include "group/process.hpp"

namespace espalier::group {
void around(Endpoint& endpoint, Rank world_size, Colour colour, std::span<std::byte> bytes,
            void (*progress)()) {
  // THE BLOCK
}
}  // namespace espalier::group
