#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "schedule/collective.hpp"

namespace espalier::runtime {

/// A part of ESPALIER_ALGORITHM that names nothing that there is.
struct WrongAlgorithm {
  Error error;        ///< its hint is short: the name that was probably meant
  std::string names;  ///< "the algorithms for allreduce are ...", some of many; or the operations
};

/// The same with names in its hint, for those who can still write another.
[[nodiscard]] Error with_names(const WrongAlgorithm& wrong);

/// "broadcast=binomial 16 KiB,allreduce=ring", as far as it can be followed.
struct NamedAlgorithms {
  std::map<schedule::Operation, std::string> known;
  std::vector<WrongAlgorithm> wrong;
};
[[nodiscard]] NamedAlgorithms read_algorithms(const std::string& text);

/// Nothing if there is such an algorithm on some machine, or it is kNativeName. (One that exists
/// but cannot do some call leaves that call to the usual choice.)
[[nodiscard]] std::optional<WrongAlgorithm> check_algorithm(schedule::Operation operation,
                                                            const std::string& name);

}  // namespace espalier::runtime
