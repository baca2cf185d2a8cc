#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"  // write_message()

namespace espalier::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitInternal = 1;  ///< a bug, no memory, output that could not be written
inline constexpr int kExitRefused = 1;   ///< espalier verify: the schedule is wrong
inline constexpr int kExitUsage = 2;     ///< arguments or input that cannot be worked with

inline constexpr int kExitInterrupted = 130;  ///< ended by Ctrl-C

/// Why a command failed.
struct Failure {
  Error error;  ///< empty: already reported, only the exit code counts
  int exit_code = kExitUsage;
};

/// How a command ended: absent means success.
using Outcome = std::optional<Failure>;

/// The words of our command line, up to "--": a file that two of them name is not written.
void remember_words(std::span<const char* const> words);

/// Writes all of `text` to the file, or to standard output for "-".
///
/// A file that another word of the command line names as well is left as it is: it was read.
/// A file that cannot be opened is the user's business (exit code 2); a disk that fills up is a
/// failure (1), and a file that was not there before is removed then. A reader that has gone away
/// (`| head`) is none: it has seen what it wanted.
[[nodiscard]] Outcome write_output(const std::string& path, std::string_view text);

/// Why a file cannot be written that is written after long work: better to be told before it. "-"
/// is standard output.
[[nodiscard]] std::optional<Error> why_not_writable(std::string_view option,
                                                    const std::string& file);

/// Why two options may not write to these: both name one file, or standard output.
[[nodiscard]] std::optional<Error> written_twice(std::string_view option, const std::string& path,
                                                 std::string_view other, const std::string& there);

/// Writes a file whole or not at all, as replace_named_file() does.
Outcome replace_output(const std::string& path, std::string_view text);

/// Where `svg` names a file, draws to it, and then writes the text to standard output; a drawing to
/// standard output ("-") stands alone. Without `svg`: the text.
[[nodiscard]] Outcome write_drawing(const std::string& svg,
                                    const std::function<std::string()>& draw,
                                    const std::function<std::string()>& text);

/// Makes writing to a closed pipe an error code instead of a signal, and keeps files from being
/// opened in the place of a standard stream that was closed.
void prepare_streams();

/// Undoes what prepare_streams() did to signals, before exec() of another program.
void restore_signals();

}  // namespace espalier::cli
