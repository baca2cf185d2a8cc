#!/usr/bin/env bash
# Runs every benchmark of BIN_DIR, after a few lines that say where, what and when.
#
#   scripts/bench.sh BIN_DIR [OPTION...]      e.g. build/release/bin --benchmark_filter=fnf
#
# Options go to each Google Benchmark program. Results also go to build/bench/NAME.json, which carry
# machine, commit and command. Exits 1 if a benchmark fails or there is none.
set -u
if [ $# -lt 1 ]; then
  sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
bin=$(cd "$1" && pwd) || exit 2
shift
cd "$(dirname "$0")/.." || exit 2

cpu=$(LC_ALL=C lscpu 2>/dev/null | sed -n 's/^Model name: *//p' | head -n 1)
commit=$(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
date=$(date -u +%Y-%m-%dT%H:%M:%SZ)
echo "machine  ${cpu:-unknown CPU}, $(nproc) cores, $(uname -sm), load $(cut -d' ' -f1 /proc/loadavg)"
echo "commit   $commit"
echo "date     $date"
echo "command  scripts/bench.sh${*:+ $*}"

mkdir -p build/bench
found=0
failed=()
for program in "$bin"/*_bench; do
  [ -x "$program" ] || continue
  found=1
  name=$(basename "$program")
  printf '\n%s\n' "$name"
  "$program" --benchmark_out="build/bench/$name.json" --benchmark_out_format=json \
    --benchmark_context=machine="${cpu:-unknown CPU}" --benchmark_context=commit="$commit" \
    --benchmark_context=command="$name${*:+ $*}" "$@" 2>"build/bench/$name.log" ||
    { failed+=("$name"); cat "build/bench/$name.log" >&2; }
done
if [ "$found" -eq 0 ]; then
  echo "error: no benchmarks in $bin" >&2
  echo "  hint: cmake --build build/release --target benchmarks" >&2
  exit 1
fi
if [ "${#failed[@]}" -gt 0 ]; then
  echo "error: failed: ${failed[*]}" >&2
  exit 1
fi
printf '\nresults as JSON: build/bench/\n'
