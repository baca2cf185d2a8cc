// Around code with MPI and without.
#include <espalier/communicator.hpp>
#include <espalier/espalier.hpp>
#include <iostream>
#include <vector>

int main() {
  std::vector<double> mine(4), all(4), tile(4);
  // THE BLOCK
}
