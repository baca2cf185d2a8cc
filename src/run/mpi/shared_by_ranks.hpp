#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace espalier::mpi {

/// Defined under SMPI only, where all ranks are one process: what is stored under this name;
/// nullptr if nothing is. What is stored stays for as long as the simulation runs. Ranks take turns
/// there, so none runs beside another.
[[nodiscard]] void* stored_for_ranks(const std::string& name);
void store_for_ranks(const std::string& name, void* value);

/// One object for all ranks of a simulation: the one made of this key first, else make(). Copies of
/// the program differ in their addresses of functions only, and none is unloaded before the end.
/// @param kind names the kind of the object; keys of one kind may be of any length
template <typename T, typename Make>
[[nodiscard]] std::shared_ptr<T> shared_by_ranks(const std::string& kind, std::string_view key,
                                                 const Make& make) {
  const std::string name = kind + ' ' + std::to_string(std::hash<std::string_view>()(key));
  if (void* const known = stored_for_ranks(name)) return *static_cast<std::shared_ptr<T>*>(known);
  auto* const made = new std::shared_ptr<T>(make());  // never freed: see above
  store_for_ranks(name, made);
  return *made;
}

}  // namespace espalier::mpi
