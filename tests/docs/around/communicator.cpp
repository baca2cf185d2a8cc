// Around code with MPI.
#include <espalier/communicator.hpp>
#include <vector>

int main() {
  std::vector<double> mine(4), all(4), tile(4), everything(4);
  std::vector<int> counts(4);
  // THE BLOCK
}
