#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace espalier::launch {

using IsProgram = std::function<bool(const std::string&)>;

/// Whether the file of this name is called like a launcher: mpiexec, mpirun, orterun, prterun,
/// prun, each also with an ending ("mpiexec.hydra"), srun or sbatch. Names with blanks in them are
/// none.
[[nodiscard]] bool is_launcher_name(const std::string& word);
/// The same without endings: a file "mpirun.sh" or "mpirun.log" may be anything.
[[nodiscard]] bool is_plain_launcher_name(const std::string& word);

/// Whether this program runs the one that is named behind it: env, nice, timeout, perf, ...
[[nodiscard]] bool is_wrapper(const std::string& word);

/// The word that is the program which a wrapper runs; words.size() if none is seen.
///
/// Options and their values are passed over. A word behind an option may be its value
/// ("timeout -s kill"): it is the program only if it has a slash or names a launcher, or if no
/// other program follows.
/// A name with a slash is taken for the program though there is none such, unless it may be an
/// option's value.
/// @pre is_wrapper(words[wrapper])
[[nodiscard]] std::size_t wrapped_program(const std::vector<std::string>& words,
                                          std::size_t wrapper, const IsProgram& is_program);

}  // namespace espalier::launch
