// Around code without MPI.
#include <espalier/espalier.hpp>
#include <iostream>

int main() {
  // THE BLOCK
}
