#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/expected.hpp"
#include "runtime/shared_call.hpp"

namespace espalier::runtime {

/// Decisions of trials that are kept between runs (ESPALIER_VERDICTS): the name of the candidate
/// that was kept, for each pair of `where` and a class of calls. `where` is a hash of members,
/// machine, version and settings.
class Verdicts {
 public:
  [[nodiscard]] std::optional<std::string> find(std::uint64_t where, const CallClass& calls) const;
  void set(std::uint64_t where, const CallClass& calls, std::string candidate);
  /// Takes what is not known here yet.
  void add(Verdicts others) { candidates_.merge(others.candidates_); }
  [[nodiscard]] bool empty() const { return candidates_.empty(); }
  [[nodiscard]] std::string to_text() const;

  /// An error if the text was not written by to_text(). @param file name for the message
  static Expected<Verdicts> from_text(const std::string& text, const std::string& file);

 private:
  std::map<std::pair<std::uint64_t, CallClass>, std::string> candidates_;
};

/// Reads a file of decisions; a file that does not exist holds none.
[[nodiscard]] Expected<Verdicts> read_verdicts(const std::string& file);
/// Writes the file whole or not at all; mode 0600. @return what went wrong, if something did
[[nodiscard]] std::optional<Error> write_verdicts(const Verdicts& verdicts,
                                                  const std::string& file);

}  // namespace espalier::runtime
