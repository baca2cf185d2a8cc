// A program that carries a libfmt of its own, another one: its functions have the names of ours and
// do something else. Were ours to call them, what ESPALIER_EXPLAIN prints would be wrong.
#include <fmt/core.h>  // format.h would instantiate what is specialised here

#include "mpi/harness.hpp"

FMT_BEGIN_NAMESPACE
std::string vformat(string_view /*format*/, format_args /*arguments*/) { return "the program's"; }
namespace detail {
template <>
void vformat_to<char>(buffer<char>& out, string_view, format_args, locale_ref) {
  out.push_back('!');
}
}  // namespace detail
FMT_END_NAMESPACE

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int value = 1, sum = 0, size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const bool right = sum == size && fmt::vformat("{}", {}) == "the program's";
  std::printf("%s %s\n", right ? "right" : "wrong",
              espalier::mpi_test::library_is_there() && espalier::mpi_test::last_was_planned()
                  ? "planned"
                  : "native");
  MPI_Finalize();
  return right ? 0 : 1;
}
