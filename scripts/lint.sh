#!/usr/bin/env bash
# clang-tidy over every source that BUILD_DIR compiles, as many at a time as there are cores.
#
#   scripts/lint.sh BUILD_DIR [PART...]      e.g. build/release; build/release src/plan; build/dev src/plan/tree/spoc.cpp
#
# The sources of a room are looked at together, as BUILD_DIR compiles them: headers are read once. What is compiled for several MPIs
# is looked at once. With PARTs only what holds sources whose paths begin with one of them. The checks are in .clang-tidy.
# Prints the findings and one line of summary; exits 1 if there are any.
set -u
if [ $# -lt 1 ] || [ ! -f "$1/compile_commands.json" ]; then
  echo "error: no compile_commands.json in \"${1:-}\"" >&2
  echo "  hint: cmake --preset release, then scripts/lint.sh build/release" >&2
  exit 2
fi
build=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.." || exit 2
if ! tidy=$(scripts/tool.sh clang-tidy); then
  echo "lint: skipped, no clang-tidy 14 or newer here"
  exit 0
fi
# Checks that cannot be read are no error to clang-tidy, which takes others then.
if wrong=$("$tidy" --list-checks ./any.cpp -- 2>&1 >/dev/null) && [ -z "$wrong" ]; then :; else
  printf 'error: clang-tidy cannot read .clang-tidy\n%s\n' "$wrong" >&2
  exit 2
fi
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
mapfile -t units < <(python3 scripts/lint_units.py "$build" "$made" "$@")
sources=$(cat "$made/count") || exit 2

# The sources of a unit are included by it, so they count as headers. -Wno-...: flags of g++ that clang does not know are no
# finding. -Wno-sign-conversion: part of -Wconversion to clang, not to g++.
printf '%s\0' "${units[@]}" |
  xargs -0 -n 1 -P "$(nproc 2>/dev/null || echo 2)" \
    "$tidy" -p "$made" --quiet --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-sign-conversion --extra-arg=-Wno-ignored-optimization-argument \
    --checks=-bugprone-suspicious-include --header-filter='/(src|tests|bench)/.*\.[ch]pp$' 2>/dev/null |
  tee "$made/log"
statuses=("${PIPESTATUS[@]}")
# A header's finding is reported once for each unit that includes it.
findings=$(grep -E '^[^ ].*:[0-9]+:[0-9]+: (warning|error):' "$made/log" | sort -u | wc -l)
if [ "$findings" -eq 0 ] && [ "${statuses[1]}" -eq 0 ]; then
  echo "lint: $sources sources in ${#units[@]} units, no findings"
  exit 0
fi
echo "lint: $sources sources in ${#units[@]} units, $findings findings" >&2
exit 1
