#!/usr/bin/env bash
# Formats every source, or checks that they are formatted: scripts/format.sh write|check
#
# Versions of clang-format differ in details: 19 would change 22 files that 14 wrote. So only 14 formats and checks; without it there
# is a line instead.
set -u
cd "$(dirname "$0")/.." || exit 1
known=14
if ! tool=$(scripts/tool.sh clang-format "$known" "$known"); then
  echo "format: skipped, no clang-format $known here"
  exit 0
fi
mapfile -d '' -t sources < <(git ls-files -z --cached --others --exclude-standard '*.cpp' '*.hpp' '*.h' '*.c')
if [ "${1:-}" = write ]; then
  exec "$tool" -i "${sources[@]}"
fi
"$tool" --dry-run --Werror "${sources[@]}" || { echo "error: run 'make format'" >&2; exit 1; }
