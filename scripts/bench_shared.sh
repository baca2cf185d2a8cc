#!/usr/bin/env bash
# What calls through the memory of a node gain over the native ones: every collective, 8 B to 4 MiB, under both MPIs.
#
#   scripts/bench_shared.sh BUILD [OPTION...]     e.g. build/release --only Allreduce
#
# As scripts/bench_never_slower.sh, with ESPALIER_SHARED=tried: ratios in one run, after the trials; losses stand beside wins.
set -u
if [ $# -lt 1 ]; then
  sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
build=$1
shift
export ESPALIER_SHARED=tried
exec "$(dirname "$0")/bench_never_slower.sh" "$build" --all-bytes 8,1024,16384,65536,1048576,4194304 "$@"
