#!/usr/bin/env bash
# Runs every fuzzer of BIN_DIR for SECONDS, as many at a time as there are cores.
#
#   scripts/fuzz.sh BIN_DIR SECONDS [NAME...]      e.g. build/fuzz/bin 60 hwloc slurm
#
# Seeds come from tests/fuzz/corpus/NAME; what is learnt goes to build/fuzz/corpus/NAME and is used
# the next time, crashing inputs to build/fuzz/crashes/NAME. One line a fuzzer; exits 1 if any of
# them crashed, hung (5 s for one input) or used more than 2 GiB.
set -u
if [ $# -lt 2 ]; then
  sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
bin=$(cd "$1" && pwd) || exit 2
seconds=$2
shift 2
cd "$(dirname "$0")/.." || exit 2
# The search for leaks takes 3 s a program on arm64: for long runs only.
if [ "$seconds" -lt 30 ]; then export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"; fi

fuzzers=()
for path in "$bin"/fuzz_*; do
  [ -x "$path" ] || continue
  name=$(basename "$path") && name=${name#fuzz_}
  if [ $# -eq 0 ] || [[ " $* " == *" $name "* ]]; then fuzzers+=("$name"); fi
done
if [ ${#fuzzers[@]} -eq 0 ]; then
  echo "error: no fuzzers in $bin" >&2
  echo "  hint: cmake --preset fuzz && cmake --build build/fuzz" >&2
  exit 2
fi

run_one() {
  local name=$1 log=build/fuzz/logs/$1.log learnt=build/fuzz/corpus/$1 crashes=build/fuzz/crashes/$1
  local options=(-max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -print_final_stats=1
    -max_len=8192 -reload=0 -print_funcs=0 -artifact_prefix="$crashes/")
  # A short run is a regression test: the same inputs each time. Long ones look for new ones.
  [ "$seconds" -lt 30 ] && options+=(-seed=1)
  [ -f "tests/fuzz/dictionary/$name.dict" ] && options+=(-dict="tests/fuzz/dictionary/$name.dict")
  local seeds=()
  [ -d "tests/fuzz/corpus/$name" ] && seeds=("tests/fuzz/corpus/$name")
  mkdir -p "$learnt" "$crashes" build/fuzz/logs
  local started=$SECONDS status=0
  "$bin/fuzz_$name" "${options[@]}" "$learnt" "${seeds[@]}" >"$log" 2>&1 || status=$?
  local executions
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
  if [ "$status" -eq 0 ]; then
    printf '%-14s %12s executions %5d s  ok\n' "$name" "${executions:-?}" $((SECONDS - started))
    return 0
  fi
  local input
  input=$(sed -n "s/.*Test unit written to //p" "$log" | tail -n 1)
  printf '%-14s %12s executions %5d s  FAILED: %s\n' "$name" "${executions:-?}" \
    $((SECONDS - started)) "${input:-see $log}"
  [ -n "$input" ] && printf '  replay: %s %s   (log: %s)\n' "$bin/fuzz_$name" "$input" "$log"
  return 1
}
export -f run_one
export bin seconds

printf '%s\0' "${fuzzers[@]}" |
  xargs -0 -n 1 -P "$(nproc 2>/dev/null || echo 2)" bash -c 'run_one "$1" || exit 1' _
status=$?
[ "$status" -eq 0 ] || exit 1
