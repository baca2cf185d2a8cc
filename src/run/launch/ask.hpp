#pragma once

#include <string>
#include <vector>

namespace espalier::launch {

/// What a command prints on standard output and error, up to 64 KiB; empty if it cannot be started.
/// It is ended after so many seconds, and has no LD_PRELOAD: the answer shall be its own.
/// @param variables "NAME=value", beside ours
[[nodiscard]] std::string output_of(const std::vector<std::string>& command,
                                    const std::vector<std::string>& variables = {},
                                    int seconds = 30);

/// A variable of our environment; empty if it is not set. PATH is then where the system looks.
[[nodiscard]] std::string environment(const char* name);

/// The file that a shell would run for this name: the name itself if it has a slash (seen from
/// `directory`), else the first executable of that name in `path`. Empty: there is none.
[[nodiscard]] std::string find_program(const std::string& name, const std::string& directory,
                                       const std::string& path);

/// Whether this very file is a program of PATH, in a folder with a whole name. Others that a script
/// or a "#!" names are looked at, and never run.
[[nodiscard]] bool is_in_path(const std::string& file, const std::string& path);

/// "mpiexec" of "/usr/bin/mpiexec"
[[nodiscard]] std::string file_name(const std::string& path);

}  // namespace espalier::launch
