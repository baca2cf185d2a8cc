#include "base/utf8.hpp"
#include "topology/readers.hpp"
#include "topology/simgrid/read_platform.hpp"
#include "topology/simgrid/to_machine.hpp"

namespace espalier::topology {
namespace {

/// Whatever a file holds, its error can be read on a terminal and says what to do.
Error presentable(Error error, const std::string& file) {
  constexpr std::size_t kLongest = 900;
  if (error.where.empty()) error.where = file + ":1";
  if (error.what.size() > kLongest) error.what = error.what.substr(0, kLongest) + "...";
  if (!is_utf8(error.what)) {
    for (char& c : error.what) {
      if (static_cast<unsigned char>(c) >= 0x80) c = '?';
    }
  }
  if (error.hint.empty())
    error.hint = "SimGrid's manual of platform files says what may stand here";
  return error;
}

}  // namespace

Expected<LoadedMachine> read_simgrid(std::string_view text, const std::string& file) {
  auto platform = simgrid::read_platform(text, file);
  if (!platform) return presentable(platform.error(), file);
  auto loaded = simgrid::to_machine(std::move(*platform));
  if (!loaded) return presentable(loaded.error(), file);
  return loaded;
}

}  // namespace espalier::topology
