#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/expected.hpp"
#include "runtime/class_policy.hpp"

namespace espalier::runtime {

/// What trials found out, to be kept between runs (ESPALIER_VERDICTS): for a communicator on a
/// machine (a hash of both, of the version and the settings) and a class of calls the name of the
/// candidate that stayed.
class Verdicts {
 public:
  [[nodiscard]] std::optional<std::string> find(std::uint64_t where, const CallClass& calls) const;
  void set(std::uint64_t where, const CallClass& calls, std::string candidate);
  [[nodiscard]] bool empty() const { return candidates_.empty(); }
  [[nodiscard]] std::string to_text() const;

  /// Refuses what is not such a text. @param file for the message
  static Expected<Verdicts> from_text(const std::string& text, const std::string& file);

 private:
  std::map<std::pair<std::uint64_t, CallClass>, std::string> candidates_;
};

/// A file that does not exist holds none.
[[nodiscard]] Expected<Verdicts> read_verdicts(const std::string& file);
/// Whole or not at all; mode 0600. @return what went wrong, if something did
[[nodiscard]] std::optional<Error> write_verdicts(const Verdicts& verdicts,
                                                  const std::string& file);

}  // namespace espalier::runtime
