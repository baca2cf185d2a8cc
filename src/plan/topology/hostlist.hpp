#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"

namespace espalier::topology {

/// "n[0-2,7]" -> n0 n1 n2 n7; "r[0-1]n[00-01]" -> r0n00 r0n01 r1n00 r1n01; "x" -> x. As Slurm
/// writes them. Refuses unbalanced brackets, ranges that run backwards, more than `limit` names,
/// and where there are brackets more than 32 of them or names of more than 255 characters.
Expected<std::vector<std::string>> expand_hostlist(std::string_view text, std::uint64_t limit);

/// How many names expand_hostlist would give, without making them.
Expected<std::uint64_t> count_hostlist(std::string_view text, std::uint64_t limit);

/// Splits at the commas outside of brackets: "a[1,2],b" -> "a[1,2]", "b".
[[nodiscard]] std::vector<std::string_view> split_hostlist(std::string_view text);

/// The name `steps` after `name` in a range that begins with it ("n09", 2 -> "n11"), if it ends in
/// a number.
[[nodiscard]] std::optional<std::string> name_after(const std::string& name, std::uint64_t steps);

/// The one hostlist that expands to exactly these names in this order, if they are a plain range
/// (n0 n1 n2 ..., with or without leading zeros).
[[nodiscard]] std::optional<std::string> compress_hostlist(std::span<const std::string> names);

}  // namespace espalier::topology
