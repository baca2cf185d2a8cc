#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "base/file_descriptor.hpp"

// Whole files, in and out. Every room reads, replaces and removes files through these.
//
// Two kinds of names. A *named* file was named by the user: links are followed, and a device or a
// FIFO is written to as the shell's ">" would. An *own* file has a name that others can guess (a
// cache, a lab's state): only a regular file of this user counts, never a link. What others put
// into a folder that everybody writes to, such as /tmp, is not followed or written in either case.

namespace espalier {

/// Far more than any description needs; keeps a wrong path (/dev/zero) from filling the memory.
inline constexpr std::uint64_t kMostFileBytes = std::uint64_t{256} << 20U;
/// More than this is not kept of a pipe, whose length nobody knows beforehand.
inline constexpr std::uint64_t kMostPipeBytes = std::uint64_t{32} << 20U;
/// Above this a file must show by its first bytes that it is what it is read as.
inline constexpr std::uint64_t kUnlikelyBytes = std::uint64_t{16} << 20U;

struct ReadRules {
  std::uint64_t most = kMostFileBytes;
  /// Accepts standard input ("-"), pipes and terminals too: "<(command)", /dev/stdin.
  bool takes_pipes = false;
  bool takes_binary = false;  ///< accepts bytes that are no text; nothing is stripped then
  /// What one of the first 64 KiB must have if the file is larger than kUnlikelyBytes.
  std::span<const std::string_view> signs = {};
  /// Refuses a file of others, or behind a link of others, in a folder that everybody writes to.
  bool refuses_foreign = false;
  int patience_ms = 1'000;  ///< how long to wait until somebody opens a FIFO for writing
};

/// All of a file, without a byte order mark. Never waits for a FIFO that nobody writes to. Refuses
/// devices that are no terminals, and text with a byte of 0 in its first 64 KiB.
Expected<std::string> read_named_file(const std::string& path, const ReadRules& rules = {});

/// The first bytes of a regular file; empty if it is none, or cannot be read.
[[nodiscard]] std::string beginning_of_file(const std::string& path, std::uint64_t most);

/// Nothing if it is not there. An error if it is no regular file, belongs to another user, or if
/// others may write to it.
Expected<std::optional<std::string>> read_own_file(const std::string& path,
                                                   std::uint64_t most = kMostFileBytes);

/// As the shell's ">": through links, into devices and FIFOs. A FIFO that nobody reads within a
/// second is an error.
Expected<FileDescriptor> open_named_file(const std::string& path);
/// The file is not complete after an error.
std::optional<Error> write_named_file(const std::string& path, std::string_view text);

/// Whether a file of that name can be written: one that is there (a device or a link too) by this
/// user, or a new one in its folder. Looks, and writes nothing.
[[nodiscard]] bool is_writable_file(const std::string& path);

/// The file has all of the text, or what it had before. Its mode and group stay; devices, FIFOs,
/// files of others, of groups that the user is not in and of several names are written as by
/// write_named_file().
std::optional<Error> replace_named_file(const std::string& path, std::string_view text,
                                        mode_t mode_if_new = 0666);

enum class Keep : std::uint8_t {
  UntilReboot,
  Durably,  ///< survives a crash of the computer
};

/// The file has all of the text, or what it had before. Refuses to replace anything but a regular
/// file of this user.
std::optional<Error> replace_own_file(const std::string& path, std::string_view text, mode_t mode,
                                      Keep keep = Keep::UntilReboot);

/// A new file, open for reading and writing; an error if anything has its name.
Expected<FileDescriptor> create_own_file(const std::string& path, mode_t mode);

/// Whether `name` is what replace_own_file() calls a file until it is complete.
[[nodiscard]] bool is_unfinished(std::string_view name, std::string_view of);

/// Removes a regular file of this user; nothing else. None is there: no error.
std::optional<Error> remove_own_file(const std::string& path);

/// Why what has this name is not to be followed or written to: others put it into a folder that
/// everybody writes to.
std::optional<Error> why_foreign(const std::string& path);

}  // namespace espalier
