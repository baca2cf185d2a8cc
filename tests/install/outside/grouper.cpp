#include <espalier/group.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool is_right = false;
  {
    espalier::Groups groups(MPI_COMM_WORLD);
    std::vector<unsigned> one{1};
    groups.all().allreduce(one, espalier::sum);
    is_right = one[0] == groups.all().size();
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
