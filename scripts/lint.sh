#!/usr/bin/env bash
# clang-tidy over every source that BUILD_DIR compiles, as many at a time as there are cores.
#
#   scripts/lint.sh BUILD_DIR [FILE...]      e.g. build/dev src/plan/tree/spoc.cpp
#
# The checks are in .clang-tidy. Prints the findings and one line of summary; exits 1 if there are any.
set -u
if [ $# -lt 1 ] || [ ! -f "$1/compile_commands.json" ]; then
  echo "error: no compile_commands.json in \"${1:-}\"" >&2
  echo "  hint: cmake --preset dev, then scripts/lint.sh build/dev" >&2
  exit 2
fi
build=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.." || exit 2

if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(python3 -c '
import json, os, sys
root = os.getcwd() + "/"
files = {entry["file"] for entry in json.load(open(sys.argv[1]))}
print("\n".join(sorted(f[len(root):] for f in files if f.startswith(root) and "/build/" not in f)))
' "$build/compile_commands.json")
fi

if ! tidy=$(scripts/tool.sh clang-tidy); then
  echo "lint: skipped, no clang-tidy 14 or newer here"
  exit 0
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# -Wno-...: flags of g++ that clang does not know are no finding.
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc 2>/dev/null || echo 2)" \
    "$tidy" -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null |
  tee "$log"
statuses=("${PIPESTATUS[@]}")
# A header's finding is reported once for each source that includes it.
findings=$(grep -E '^[^ ].*:[0-9]+:[0-9]+: (warning|error):' "$log" | sort -u | wc -l)
if [ "$findings" -eq 0 ] && [ "${statuses[1]}" -eq 0 ]; then
  echo "lint: ${#files[@]} files, no findings"
  exit 0
fi
echo "lint: ${#files[@]} files, $findings findings" >&2
exit 1
