// Around code with system-ranked groups.
#include <espalier/group.hpp>
#include <vector>

void around(int colour, int root, long key, std::vector<double>& values) {
  // THE BLOCK
}
